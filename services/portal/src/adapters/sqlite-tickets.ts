import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { MAX_WAITING, type ClaimStore, type TallyStore, type Ticket, type TicketStore } from '../ports.ts';

/** A row as a ticket. */
const FIELDS = 'kind, hash, owner, expires_at AS expiresAt, data';

/** Tickets in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteTickets(database: DatabaseSync): TicketStore {
  const sql = {
    put: database.prepare(
      'INSERT INTO ticket (kind, hash, owner, expires_at, data) VALUES (:kind, :hash, :owner, :expiresAt, :data)',
    ),
    look: database.prepare(`SELECT ${FIELDS} FROM ticket WHERE kind = ? AND hash = ? AND expires_at > ?`),
    waiting: database.prepare(
      `SELECT ${FIELDS} FROM ticket WHERE kind = ? AND owner = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT ?`,
    ),
    take: database.prepare(
      `DELETE FROM ticket WHERE kind = ? AND hash = ? AND expires_at > ? RETURNING ${FIELDS}`,
    ),
    drop: database.prepare('DELETE FROM ticket WHERE kind = ? AND owner = ?'),
  };
  return {
    put: async (ticket) => void sql.put.run({ ...ticket }),
    look: async (kind, hash, now) => toTicket(sql.look.get(kind, hash, now)),
    latest: async (kind, owner, now) => toTicket(sql.waiting.get(kind, owner, now, 1)),
    waiting: async (kind, owner, now) =>
      sql.waiting.all(kind, owner, now, MAX_WAITING) as unknown as Ticket[],
    take: async (kind, hash, now) => toTicket(sql.take.get(kind, hash, now)),
    drop: async (kind, owner) => void sql.drop.run(kind, owner),
  };
}

function toTicket(row: Record<string, SQLOutputValue> | undefined): Ticket | null {
  return (row as Ticket | undefined) ?? null;
}

/** Counts in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteTallies(database: DatabaseSync): TallyStore {
  const add = database.prepare(
    `INSERT INTO tally (key, ends_at, count) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count`,
  );
  return { add: async (key, by, endsAt) => add.get(key, endsAt, by)?.count as number };
}

/** Claims in the embedded database; its schema is `ACCOUNT_MIGRATIONS`. */
export function createSqliteClaims(database: DatabaseSync): ClaimStore {
  const add = database.prepare('INSERT OR IGNORE INTO claim (key, expires_at) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM claim WHERE key = ?');
  return {
    claim: async (key, expiresAt) => add.run(key, expiresAt).changes > 0,
    release: async (key) => void remove.run(key),
  };
}
