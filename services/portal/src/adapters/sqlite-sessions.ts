import type { DatabaseSync } from 'node:sqlite';
import type { Session, SessionStore } from '../ports.ts';

/** Sessions that are ended per statement. */
const MAX_ENDED = 1_000;

const FIELDS = `hash, id, user_id AS userId, epoch, signed_in_at AS signedInAt, seen_at AS seenAt,
  expires_at AS expiresAt, address, agent`;

/** Sessions in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteSessions(database: DatabaseSync): SessionStore {
  const sql = {
    insert: database.prepare(
      `INSERT INTO session (hash, id, user_id, epoch, signed_in_at, seen_at, expires_at, address, agent)
       VALUES (:hash, :id, :userId, :epoch, :signedInAt, :seenAt, :expiresAt, :address, :agent)`,
    ),
    find: database.prepare(`SELECT ${FIELDS} FROM session WHERE hash = ?`),
    list: database.prepare(
      `SELECT ${FIELDS} FROM session WHERE user_id = ? ORDER BY signed_in_at DESC, id LIMIT ?`,
    ),
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
    insert: async (session) => void sql.insert.run({ ...session }),
    find: async (hash) => (sql.find.get(hash) as Session | undefined) ?? null,
    list: async (userId, limit) => sql.list.all(userId, limit) as unknown as Session[],
    seen: async (hash, at) => void sql.seen.run(at, hash),
    remove: async (hash) => void sql.remove.run(hash),
    removeOne: async (userId, id) => void sql.removeOne.run(userId, id),
    removeAll: async (userId) => void sql.removeAll.run(userId),
    keepLatest: async (userId, count) => void sql.removeBut.run(userId, MAX_ENDED, count),
  };
}
