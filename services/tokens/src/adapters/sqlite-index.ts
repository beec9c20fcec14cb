import { inTransaction } from '@hindsight/shared/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';
import { listsOf } from '../domain/lists.ts';
import type { Token } from '../domain/token.ts';
import {
  Overtaken,
  refuseGap,
  type Checkpoint,
  type IndexedRange,
  type NewLook,
  type TokenIndex,
} from '../ports.ts';
import { createSqliteList, LIST_QUERIES } from './sqlite-list.ts';
import { toCheckpoint, toToken } from './sqlite-rows.ts';

/** Pages of the file that a writer keeps in memory: 64 MiB of the lists' ends and inner nodes. */
const CACHE = 'PRAGMA cache_size = -65536';

/** The token index in an embedded database: each change is one transaction, checkpoint included. */
export function createSqliteIndex(database: DatabaseSync): TokenIndex {
  database.exec(CACHE);
  const list = createSqliteList(database);
  const write = prepareWrites(database);
  const unseen = database.prepare(
    `SELECT value FROM json_each(?) AS asked
      WHERE NOT EXISTS (SELECT 1 FROM no_token WHERE address = asked.value)
        AND NOT EXISTS (SELECT 1 FROM token WHERE lower(token.address) = asked.value)`,
  );
  const due = database.prepare('SELECT * FROM token WHERE look_at <= ? ORDER BY look_at, ordinal LIMIT ?');
  const claim = database.prepare(
    `INSERT INTO lease (id, holder, until, status) VALUES (1, :holder, :until, :status)
      ON CONFLICT (id) DO UPDATE SET holder = :holder, until = :until, status = :status
      WHERE lease.holder = :holder OR lease.until <= :now`,
  );
  const release = database.prepare('UPDATE lease SET until = 0 WHERE holder = ?');
  return {
    ...list,
    resume: () => list.checkpoint(),
    append: async (base, range) => inTransaction(database, () => write.append(base, range)),
    noteLooks: async (base, looks) => inTransaction(database, () => write.noteLooks(base, looks)),
    unseen: async (addresses) => unseen.all(JSON.stringify(addresses)).map(({ value }) => value as string),
    due: async (height, limit) =>
      due.all(height, limit).map((row) => ({ token: toToken(row), looks: row.looks as number })),
    async claim({ holder, until, status }, now) {
      return claim.run({ holder, until, status: JSON.stringify(status), now }).changes > 0;
    },
    release: async (holder) => void release.run(holder),
  };
}

interface Writes {
  append(base: Checkpoint | null, range: IndexedRange): Checkpoint;
  noteLooks(base: Checkpoint, looks: readonly NewLook[]): Checkpoint;
}

/** Ordinals to be put at the ends of lists, by list. */
type Places = Map<string, number[]>;

function addTo(places: Places, list: string, ordinal: number): void {
  const ordinals = places.get(list);
  if (ordinals === undefined) places.set(list, [ordinal]);
  else ordinals.push(ordinal);
}

/** The changes, to be run within a transaction. */
function prepareWrites(database: DatabaseSync): Writes {
  const readCheckpoint = database.prepare(LIST_QUERIES.checkpoint);
  const find = database.prepare(LIST_QUERIES.find);
  const addToken = database.prepare(
    `INSERT INTO token (ordinal, address, block, type, name, symbol, decimals, look_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addOther = database.prepare('INSERT OR IGNORE INTO no_token (address) VALUES (?)');
  const size = database.prepare(LIST_QUERIES.size);
  const addPlace = database.prepare('INSERT INTO place (list, n, ordinal) VALUES (?, ?, ?)');
  const setNames = database.prepare(
    'UPDATE token SET name = ?, symbol = ?, decimals = ?, look_at = ?, looks = looks + 1 WHERE ordinal = ?',
  );
  const setCheckpoint = database.prepare(
    `INSERT INTO checkpoint (id, from_block, number, hash, count, version) VALUES (1, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET number = excluded.number, hash = excluded.hash, count = excluded.count,
        version = excluded.version`,
  );

  const expect = (base: Checkpoint | null): void => {
    const found = toCheckpoint(readCheckpoint.get());
    if (found?.version !== base?.version || found?.number !== base?.number) throw new Overtaken();
  };
  /** In the lists' order, so that what is written together lies together. */
  const addPlaces = (places: Places): void => {
    for (const list of [...places.keys()].sort()) {
      let n = (size.get(list)?.size as number | undefined) ?? 0;
      for (const ordinal of places.get(list) ?? []) addPlace.run(list, n++, ordinal);
    }
  };
  const moveTo = (checkpoint: Checkpoint): Checkpoint => {
    const { from, number, hash, count, version } = checkpoint;
    setCheckpoint.run(from, number, hash, count, version);
    return checkpoint;
  };
  return {
    append(base, { from, to, hash, tokens, others }) {
      expect(base);
      refuseGap(base, from);
      const places: Places = new Map();
      let ordinal = base?.count ?? 0;
      for (const token of tokens) {
        const { address, blockHeight, type, name, symbol, decimals, lookAt } = token;
        addToken.run(ordinal, address, blockHeight, type, name, symbol, decimals, lookAt);
        for (const list of listsOf(token)) addTo(places, list, ordinal);
        ordinal += 1;
      }
      addPlaces(places);
      for (const address of others) addOther.run(address);
      const version = (base?.version ?? 0) + (tokens.length > 0 ? 1 : 0);
      return moveTo({ from: base?.from ?? from, number: to, hash, count: ordinal, version });
    },
    noteLooks(base, looks) {
      expect(base);
      const places: Places = new Map();
      for (const { address, names, lookAt } of looks) {
        const row = find.get(address.toLowerCase());
        if (row === undefined) throw new Error(`${address} is not listed`);
        const known: Token = toToken(row);
        const ordinal = row.ordinal as number;
        setNames.run(names.name, names.symbol, names.decimals, lookAt, ordinal);
        const before = new Set(listsOf(known));
        for (const list of listsOf({ ...known, ...names }))
          if (!before.has(list)) addTo(places, list, ordinal);
      }
      addPlaces(places);
      return moveTo({ ...base, version: base.version + 1 });
    },
  };
}
