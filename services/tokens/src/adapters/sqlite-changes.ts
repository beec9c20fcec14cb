import { CheckpointConflict, refuseGap } from '@hindsight/indexing/position.ts';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { listsOf, wordListsOf } from '../domain/lists.ts';
import type { Checkpoint, IndexedRange, NewLook } from '../ports.ts';
import { LIST_QUERIES } from './sqlite-list.ts';
import { toCheckpoint, toToken } from './sqlite-rows.ts';
import { refuseUnfinished } from './unfinished-words.ts';

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

/** Ordinals to be put at the ends of lists, by list. */
type Positions = Map<string, number[]>;

/** The changes of an index in SQLite; each is to be run within a transaction. */
export class SqliteChanges {
  readonly #statements: Statements;

  constructor(database: DatabaseSync) {
    const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#statements = Object.fromEntries(prepared) as Statements;
  }

  /** Adds a range. @throws {CheckpointConflict} */
  append(base: Checkpoint | null, { from, to, hash, tokens, others }: IndexedRange): Checkpoint {
    this.#expect(base);
    refuseGap(base, from);
    refuseUnfinished(base);
    const positions: Positions = new Map();
    let ordinal = base?.count ?? 0;
    for (const token of tokens) {
      const { address, blockHeight, type, name, symbol, decimals, lookAt } = token;
      this.#statements.addToken.run(ordinal, address, blockHeight, type, name, symbol, decimals, lookAt);
      for (const list of listsOf(token)) addTo(positions, list, ordinal);
      ordinal += 1;
    }
    this.#addPositions(positions);
    for (const address of others) this.#statements.addOther.run(address);
    const version = (base?.version ?? 0) + (tokens.length > 0 ? 1 : 0);
    return this.#moveTo({
      from: base?.from ?? from,
      number: to,
      hash,
      count: ordinal,
      version,
      words: ordinal,
    });
  }

  /** Notes later looks. @throws {CheckpointConflict} */
  noteLooks(base: Checkpoint, looks: readonly NewLook[]): Checkpoint {
    this.#expect(base);
    refuseUnfinished(base);
    const positions: Positions = new Map();
    for (const { address, names, lookAt } of looks) {
      const row = this.#statements.find.get(address.toLowerCase());
      if (row === undefined) throw new Error(`${address} is not listed`);
      const known = toToken(row);
      const ordinal = row.ordinal as number;
      this.#statements.setNames.run(names.name, names.symbol, names.decimals, lookAt, ordinal);
      const before = new Set(listsOf(known));
      for (const list of listsOf({ ...known, ...names }))
        if (!before.has(list)) addTo(positions, list, ordinal);
    }
    this.#addPositions(positions);
    return this.#moveTo({ ...base, version: base.version + 1 });
  }

  /** Lists tokens of an older version by the words in their names. @throws {CheckpointConflict} */
  addWords(base: Checkpoint, limit: number): Checkpoint {
    this.#expect(base);
    const end = Math.min(base.words + limit, base.count);
    const positions: Positions = new Map();
    for (const row of this.#statements.all.all(base.words, end))
      for (const list of wordListsOf(toToken(row))) addTo(positions, list, row.ordinal as number);
    this.#addPositions(positions);
    return this.#moveTo({ ...base, version: base.version + 1, words: end });
  }

  #expect(base: Checkpoint | null): void {
    const found = toCheckpoint(this.#statements.checkpoint.get());
    if (found?.version !== base?.version || found?.number !== base?.number) throw new CheckpointConflict();
  }

  /** In the lists' order, so that neighbouring rows are written together. */
  #addPositions(positions: Positions): void {
    for (const list of [...positions.keys()].sort()) {
      let n = (this.#statements.size.get(list)?.size as number | undefined) ?? 0;
      for (const ordinal of positions.get(list) ?? []) this.#statements.addPosition.run(list, n++, ordinal);
    }
  }

  #moveTo(checkpoint: Checkpoint): Checkpoint {
    const { from, number, hash, count, version, words } = checkpoint;
    this.#statements.setCheckpoint.run(from, number, hash, count, version, words);
    return checkpoint;
  }
}

function addTo(positions: Positions, list: string, ordinal: number): void {
  const ordinals = positions.get(list);
  if (ordinals === undefined) positions.set(list, [ordinal]);
  else ordinals.push(ordinal);
}
