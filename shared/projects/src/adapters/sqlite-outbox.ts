import type { DatabaseSync } from 'node:sqlite';
import { heldInSql } from '@hindsight/stores/leases.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { Outbox, OutboxEntry } from '../store.ts';

/**
 * A project is claimed as a whole: while one of its entries is, no other one can be published before it. It reads no
 * further than to the last project that it claims, however many wait.
 */
const CLAIM = `
  UPDATE project_outbox SET claimed_by = :by, claimed_until = :until
  WHERE project_id IN (
    SELECT DISTINCT project_id FROM project_outbox AS one
    WHERE NOT EXISTS (
      SELECT 1 FROM project_outbox AS other
      WHERE other.project_id = one.project_id AND ${heldInSql('other.claimed_until', ':now')})
    ORDER BY position LIMIT :projects)
  RETURNING id, project_id AS projectId, change, at, position`;

type Claimed = OutboxEntry & { readonly position: number };

export function createSqliteOutbox(database: DatabaseSync): Outbox {
  const waiting = database.prepare('SELECT 1 FROM project_outbox LIMIT 1');
  const claim = database.prepare(CLAIM);
  const remove = database.prepare('DELETE FROM project_outbox WHERE id = ? AND claimed_by = ?');
  const free = database.prepare(
    'UPDATE project_outbox SET claimed_by = NULL, claimed_until = 0 WHERE id = ? AND claimed_by = ?',
  );
  return {
    async claim({ by, now, until }, projects) {
      // Looking costs no write; most looks find nothing.
      if (waiting.get() === undefined) return [];
      const claimed = inTransaction(database, () => claim.all({ by, now, until, projects }));
      return (claimed as unknown as Claimed[]).sort((a, b) => a.position - b.position);
    },
    async markSent(by, sent) {
      inTransaction(database, () => sent.forEach(({ id }) => remove.run(id, by)));
    },
    async release(by, entries) {
      inTransaction(database, () => entries.forEach(({ id }) => free.run(id, by)));
    },
  };
}
