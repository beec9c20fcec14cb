import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { AuditEntry, AuditStore } from '../audit.ts';

/** The audit log of projects in the embedded database; its schema is in `PROJECT_MIGRATIONS`. */
export function createSqliteAudit(database: DatabaseSync): AuditStore {
  const insert = database.prepare(
    'INSERT INTO project_audit (id, project_id, at, action, user_id, address, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const newest = database.prepare(
    `SELECT id, project_id AS projectId, at, action, user_id AS userId, address, detail FROM project_audit WHERE project_id = ? AND (at, id) < (?, ?) AND at >= ? AND at < ?
       AND (? IS NULL OR action = ?) AND (? = 0 OR user_id IS ?) ORDER BY at DESC, id DESC LIMIT ?`,
  );
  const remove = database.prepare(
    'DELETE FROM project_audit WHERE id IN (SELECT id FROM project_audit WHERE at < ? ORDER BY at LIMIT ?)',
  );
  return {
    async append({ id, projectId, at, action, userId, address, detail }) {
      inTransaction(database, () => insert.run(id, projectId, at, action, userId, address, detail));
    },
    async list(projectId, limit, below = { at: Number.MAX_SAFE_INTEGER, id: '' }, filter = {}) {
      const { action = null, userId, from = 0, before = Number.MAX_SAFE_INTEGER } = filter;
      const by = userId === undefined ? 0 : 1;
      const chosen = [from, before, action, action, by, userId ?? null];
      return newest.all(projectId, below.at, below.id, ...chosen, limit) as unknown as AuditEntry[];
    },
    removeBefore: async (at, limit) => inTransaction(database, () => Number(remove.run(at, limit).changes)),
  };
}
