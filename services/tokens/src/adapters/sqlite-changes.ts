import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { listsGained, listsOf, wordListsOf } from '../domain/lists.ts';
import type { Checkpoint, IndexedRange, NewLook } from '../ports.ts';
import { afterLooks, afterRange, afterWords, expectSame } from './next-checkpoint.ts';
import { LIST_QUERIES } from './sqlite-list.ts';
import { toCheckpoint, toToken } from './sqlite-rows.ts';

const STATEMENTS = {
  checkpoint: LIST_QUERIES.checkpoint,
  find: LIST_QUERIES.find,
  size: LIST_QUERIES.size,
  all: LIST_QUERIES.all,
  addToken: `INSERT INTO token (ordinal, address, block, type, name, symbol, decimals, look_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  addOther: 'INSERT OR IGNORE INTO no_token (address) VALUES (?)',
  addPosition: 'INSERT INTO place (list, n, ordinal) VALUES (?, ?, ?)',
  setNames:
    'UPDATE token SET name = ?, symbol = ?, decimals = ?, look_at = ?, looks = looks + 1 WHERE ordinal = ?',
  setCheckpoint: `INSERT INTO checkpoint (id, from_block, number, hash, count, version, words)
    VALUES (1, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash, count = excluded.count,
      version = excluded.version, words = excluded.words`,
} as const;

type Statements = Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

/** A token to be put at the ends of lists. */
interface Addition {
  readonly ordinal: number;
  readonly lists: readonly string[];
}

/** The changes of an index in SQLite; each is to be run within a transaction. */
export class SqliteChanges {
  readonly #statements: Statements;

  constructor(database: DatabaseSync) {
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared) as Statements;
  }

  /** Adds a range. @throws {CheckpointConflict} */
  append(base: Checkpoint | null, range: IndexedRange): Checkpoint {
    this.#expect(base);
    const to = afterRange(base, range);
    const first = base?.count ?? 0;
    const additions = range.tokens.map((token, i): Addition => {
      const { address, blockHeight, type, name, symbol, decimals, lookAt } = token;
      const ordinal = first + i;
      this.#statements.addToken.run(ordinal, address, blockHeight, type, name, symbol, decimals, lookAt);
      return { ordinal, lists: listsOf(token) };
    });
    this.#addPositions(additions);
    for (const address of range.others) this.#statements.addOther.run(address);
    return this.#moveTo(to);
  }

  /** Notes later looks. @throws {CheckpointConflict} */
  noteLooks(base: Checkpoint, looks: readonly NewLook[]): Checkpoint {
    this.#expect(base);
    const to = afterLooks(base);
    const additions = looks.map(({ address, names, lookAt }): Addition => {
      const row = this.#statements.find.get(address.toLowerCase());
      if (row === undefined) throw new Error(`${address} is not listed`);
      const ordinal = row.ordinal as number;
      this.#statements.setNames.run(names.name, names.symbol, names.decimals, lookAt, ordinal);
      return { ordinal, lists: listsGained(toToken(row), names) };
    });
    this.#addPositions(additions);
    return this.#moveTo(to);
  }

  /** Lists tokens of an older version by the words in their names. @throws {CheckpointConflict} */
  addWords(base: Checkpoint, limit: number): Checkpoint {
    this.#expect(base);
    const to = afterWords(base, limit);
    const rows = this.#statements.all.all(base.words, to.words);
    this.#addPositions(
      rows.map((row) => ({ ordinal: row.ordinal as number, lists: wordListsOf(toToken(row)) })),
    );
    return this.#moveTo(to);
  }

  #expect(base: Checkpoint | null): void {
    expectSame(base, toCheckpoint(this.#statements.checkpoint.get()));
  }

  /** In the lists' order, so that neighbouring rows are written together. */
  #addPositions(additions: readonly Addition[]): void {
    const positions = additions.flatMap(({ ordinal, lists }) => lists.map((list) => ({ list, ordinal })));
    const byList = Map.groupBy(positions, ({ list }) => list);
    for (const list of [...byList.keys()].sort()) {
      let n = (this.#statements.size.get(list)?.size as number | undefined) ?? 0;
      for (const { ordinal } of byList.get(list)!) this.#statements.addPosition.run(list, n++, ordinal);
    }
  }

  #moveTo(checkpoint: Checkpoint): Checkpoint {
    const { from, number, hash, count, version, words } = checkpoint;
    this.#statements.setCheckpoint.run(from, number, hash, count, version, words);
    return checkpoint;
  }
}
