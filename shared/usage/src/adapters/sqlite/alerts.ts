import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { heldInSql } from '@hindsight/stores/leases.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { AlertStore, ThresholdReached } from '../../alerts/ports.ts';
import { DEFAULT_THRESHOLDS, validThresholds } from '../../alerts/thresholds.ts';

/** Unpublished, and claimed by no other process. */
const WAITS = `claimed_until IS NOT NULL AND NOT ${heldInSql('claimed_until', ':now')}`;

/** Its tables are in `USAGE_MIGRATIONS`. */
export function createSqliteAlerts(database: DatabaseSync): AlertStore {
  const sql = {
    thresholds: database.prepare('SELECT thresholds FROM usage_thresholds WHERE project = ?'),
    setThresholds: database.prepare(
      'INSERT OR REPLACE INTO usage_thresholds (project, thresholds) VALUES (?, ?)',
    ),
    counted: database.prepare('SELECT requests FROM usage_month WHERE project = ? AND month = ?'),
    reach: database.prepare(
      `INSERT OR IGNORE INTO usage_alert (project, month, threshold, requests, monthly_limit, at, claimed_until)
       VALUES (?, ?, ?, ?, ?, ?, 0)`,
    ),
    reached: database.prepare('SELECT * FROM usage_alert WHERE project = ? AND month = ? ORDER BY threshold'),
    // Looking costs no write; most looks find nothing.
    waiting: database.prepare(`SELECT 1 FROM usage_alert WHERE ${WAITS} LIMIT 1`),
    claim: database.prepare(
      `UPDATE usage_alert SET claimed_until = :until WHERE (project, month, threshold) IN
         (SELECT project, month, threshold FROM usage_alert WHERE ${WAITS} ORDER BY at LIMIT :limit)
       RETURNING *`,
    ),
    published: database.prepare(
      'UPDATE usage_alert SET claimed_until = NULL WHERE project = ? AND month = ? AND threshold = ?',
    ),
  };
  return {
    async thresholdsOf(project) {
      const row = sql.thresholds.get(project);
      return row === undefined ? DEFAULT_THRESHOLDS : (JSON.parse(String(row.thresholds)) as number[]);
    },
    setThresholds: async (project, thresholds) =>
      void sql.setThresholds.run(project, JSON.stringify(validThresholds(thresholds))),
    counted: async (records) =>
      records.map(({ project, month }) => Number(sql.counted.get(project, month)?.requests ?? 0)),
    reach: async ({ project, month, threshold, requests, limit, at }) =>
      sql.reach.run(project, month, threshold, requests, limit, at).changes > 0,
    reached: async ({ project, month }) => sql.reached.all(project, month).map(toAlert),
    async claim({ now, until }, limit) {
      if (sql.waiting.get({ now }) === undefined) return [];
      const claimed = inTransaction(database, () => sql.claim.all({ now, until, limit })).map(toAlert);
      return claimed.sort((a, b) => a.at - b.at);
    },
    published: async (alerts) =>
      inTransaction(database, () =>
        alerts.forEach(({ project, month, threshold }) => sql.published.run(project, month, threshold)),
      ),
  };
}

function toAlert(row: Record<string, SQLOutputValue>): ThresholdReached {
  return {
    project: String(row.project),
    month: String(row.month),
    threshold: Number(row.threshold),
    requests: Number(row.requests),
    limit: Number(row.monthly_limit),
    at: Number(row.at),
  };
}
