import type { DatabaseSync } from 'node:sqlite';
import { refuseAnother, type NetworkMark } from './network-mark.ts';

/** Marks a database as that of a network. @throws {Error} where it is another's */
export function markSqlite(database: DatabaseSync, { name, chainId }: NetworkMark): void {
  database
    .prepare('INSERT INTO network (id, name, chain_id) VALUES (1, ?, ?) ON CONFLICT DO NOTHING')
    .run(name, chainId);
  const stored = networkIn(database);
  if (stored !== null) refuseAnother(database.location() ?? 'memory', stored, { name, chainId });
}

/** The network that a database is marked with; null before it is. */
export function networkIn(database: DatabaseSync): NetworkMark | null {
  const row = database.prepare('SELECT name, chain_id FROM network WHERE id = 1').get();
  return row === undefined ? null : { name: row.name as string, chainId: row.chain_id as number };
}
