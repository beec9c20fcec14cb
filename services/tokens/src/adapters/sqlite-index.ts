import { heldInSql } from '@hindsight/stores/leases.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { TokenIndex } from '../ports.ts';
import { changesIn } from './sqlite-changes.ts';
import { createSqliteList } from './sqlite-list.ts';
import { toToken } from './sqlite-rows.ts';

/** Pages of the file that a writer keeps in memory: 64 MiB of the lists' ends and inner nodes. */
const CACHE = 'PRAGMA cache_size = -65536';

/** The token index in an embedded database: each change is one transaction, checkpoint included. */
export function createSqliteIndex(database: DatabaseSync): TokenIndex {
  database.exec(CACHE);
  const list = createSqliteList(database);
  const unseen = database.prepare(
    `SELECT value FROM json_each(?) AS asked
      WHERE NOT EXISTS (SELECT 1 FROM no_token WHERE address = asked.value)
        AND NOT EXISTS (SELECT 1 FROM token WHERE lower(token.address) = asked.value)`,
  );
  const due = database.prepare('SELECT * FROM token WHERE look_at <= ? ORDER BY look_at, ordinal LIMIT ?');
  const claim = database.prepare(
    `INSERT INTO lease (id, holder, until, status) VALUES (1, :holder, :until, :status)
      ON CONFLICT (id) DO UPDATE SET holder = :holder, until = :until, status = :status
      WHERE lease.holder = :holder OR NOT ${heldInSql('lease.until', ':now')}`,
  );
  const release = database.prepare('UPDATE lease SET until = 0 WHERE holder = ?');
  return {
    ...list,
    ...changesIn(database),
    resume: () => list.checkpoint(),
    unseen: async (addresses) => unseen.all(JSON.stringify(addresses)).map(({ value }) => value as string),
    due: async (time, limit) =>
      due.all(time, limit).map((row) => ({ token: toToken(row), looks: row.looks as number })),
    async claim({ holder, until, status }, now) {
      return claim.run({ holder, until, status: JSON.stringify(status), now }).changes > 0;
    },
    release: async (holder) => void release.run(holder),
  };
}
