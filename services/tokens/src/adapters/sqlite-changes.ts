import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';
import { listsGained, listsOf, wordListsOf } from '../domain/lists.ts';
import type { Checkpoint, TokenIndex } from '../ports.ts';
import { afterLooks, afterRange, afterWords, expectSame } from './next-checkpoint.ts';
import { LIST_QUERIES } from './sqlite-list.ts';
import { toCheckpoint, toToken } from './sqlite-rows.ts';

/** A change: the checkpoint that it leads to, and the tokens that it puts at the ends of lists. */
interface Change {
  readonly to: Checkpoint;
  readonly additions: readonly { readonly ordinal: number; readonly lists: readonly string[] }[];
}

/** The changes of an index in SQLite, each in one transaction. */
export function changesIn(database: DatabaseSync): Pick<TokenIndex, 'append' | 'noteLooks' | 'addWords'> {
  const checkpoint = database.prepare(LIST_QUERIES.checkpoint);
  const find = database.prepare(LIST_QUERIES.find);
  const size = database.prepare(LIST_QUERIES.size);
  const all = database.prepare(LIST_QUERIES.all);
  const addToken = database.prepare(
    `INSERT INTO token (ordinal, address, block, type, name, symbol, decimals, look_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addOther = database.prepare('INSERT OR IGNORE INTO no_token (address) VALUES (?)');
  const addPosition = database.prepare('INSERT INTO place (list, n, ordinal) VALUES (?, ?, ?)');
  const setNames = database.prepare(
    'UPDATE token SET name = ?, symbol = ?, decimals = ?, look_at = ?, looks = looks + 1 WHERE ordinal = ?',
  );
  const setCheckpoint = database.prepare(
    `INSERT INTO checkpoint (id, from_block, number, hash, count, version, words)
      VALUES (1, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash, count = excluded.count,
        version = excluded.version, words = excluded.words`,
  );

  /** @throws {CheckpointConflict} */
  async function change(base: Checkpoint | null, make: () => Change): Promise<Checkpoint> {
    return inTransaction(database, () => {
      expectSame(base, toCheckpoint(checkpoint.get()));
      const { to, additions } = make();
      addPositions(additions);
      setCheckpoint.run(to.from, to.number, to.hash, to.count, to.version, to.words);
      return to;
    });
  }

  /**
   * In the lists' order, so that neighbouring rows are written together. Grouped by hand: `Map.groupBy` over pairs took a
   * seventh of the time of a whole change.
   */
  function addPositions(additions: Change['additions']): void {
    const byList = new Map<string, number[]>();
    for (const { ordinal, lists } of additions)
      for (const list of lists) {
        const ordinals = byList.get(list);
        if (ordinals === undefined) byList.set(list, [ordinal]);
        else ordinals.push(ordinal);
      }
    for (const list of [...byList.keys()].sort()) {
      let n = (size.get(list)?.size as number | undefined) ?? 0;
      for (const ordinal of byList.get(list)!) addPosition.run(list, n++, ordinal);
    }
  }

  return {
    append: (base, range) =>
      change(base, () => {
        const to = afterRange(base, range);
        const first = base?.count ?? 0;
        const additions = range.tokens.map((token, i) => {
          const { address, blockHeight, type, name, symbol, decimals, lookAt } = token;
          const ordinal = first + i;
          addToken.run(ordinal, address, blockHeight, type, name, symbol, decimals, lookAt);
          return { ordinal, lists: listsOf(token) };
        });
        for (const address of range.others) addOther.run(address);
        return { to, additions };
      }),
    noteLooks: (base, looks) =>
      change(base, () => {
        const to = afterLooks(base);
        const additions = looks.map(({ address, names, lookAt }) => {
          const row = find.get(address.toLowerCase());
          if (row === undefined) throw new Error(`${address} is not listed`);
          const ordinal = row.ordinal as number;
          setNames.run(names.name, names.symbol, names.decimals, lookAt, ordinal);
          return { ordinal, lists: listsGained(toToken(row), names) };
        });
        return { to, additions };
      }),
    addWords: (base, limit) =>
      change(base, () => {
        const to = afterWords(base, limit);
        const additions = all.all(base.words, to.words).map((row) => {
          return { ordinal: row.ordinal as number, lists: wordListsOf(toToken(row)) };
        });
        return { to, additions };
      }),
  };
}
