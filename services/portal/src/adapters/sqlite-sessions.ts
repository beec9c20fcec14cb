import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Session, SessionStore } from '../ports.ts';

/** Sessions that are ended per statement. */
const MAX_ENDED = 1_000;

/** Sessions in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteSessions(database: DatabaseSync): SessionStore {
  const sql = {
    insert: database.prepare(
      `INSERT INTO session (hash, id, user_id, epoch, signed_in_at, seen_at, expires_at, address, agent)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    find: database.prepare('SELECT * FROM session WHERE hash = ?'),
    list: database.prepare('SELECT * FROM session WHERE user_id = ? ORDER BY signed_in_at DESC, id LIMIT ?'),
    seen: database.prepare('UPDATE session SET seen_at = ? WHERE hash = ?'),
    remove: database.prepare('DELETE FROM session WHERE hash = ?'),
    removeOne: database.prepare('DELETE FROM session WHERE user_id = ? AND id = ?'),
    removeAll: database.prepare('DELETE FROM session WHERE user_id = ?'),
    removeBut: database.prepare(
      `DELETE FROM session WHERE hash IN
         (SELECT hash FROM session WHERE user_id = ? ORDER BY signed_in_at DESC, id LIMIT ? OFFSET ?)`,
    ),
  };
  return {
    async insert(session) {
      const { hash, id, userId, epoch, signedInAt, seenAt, expiresAt, address, agent } = session;
      sql.insert.run(hash, id, userId, epoch, signedInAt, seenAt, expiresAt, address, agent);
    },
    async find(hash) {
      const row = sql.find.get(hash);
      return row === undefined ? null : toSession(row);
    },
    list: async (userId, limit) => sql.list.all(userId, limit).map(toSession),
    seen: async (hash, at) => void sql.seen.run(at, hash),
    remove: async (hash) => void sql.remove.run(hash),
    removeOne: async (userId, id) => void sql.removeOne.run(userId, id),
    removeAll: async (userId) => void sql.removeAll.run(userId),
    keepLatest: async (userId, count) => void sql.removeBut.run(userId, MAX_ENDED, count),
  };
}

function toSession(row: Record<string, SQLOutputValue>): Session {
  return {
    hash: row.hash as string,
    id: row.id as string,
    userId: row.user_id as string,
    epoch: row.epoch as number,
    signedInAt: row.signed_in_at as number,
    seenAt: row.seen_at as number,
    expiresAt: row.expires_at as number,
    address: row.address as string,
    agent: row.agent as string,
  };
}
