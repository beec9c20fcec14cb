/** Upkeep of the records: compares them, settles months, and removes producers that have ended. */
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { RecordAudit, UsageUpkeep } from '../../ports.ts';

export function createUpkeep(database: DatabaseSync): UsageUpkeep {
  const sql = prepare(database);
  return {
    // One transaction, so that all sums are of the same moment.
    audit: async (month, after, limit) =>
      inTransaction(database, () => sql.page.all(month, after, limit).map((row) => auditOf(sql, month, row))),
    settle: async (before, limit) =>
      inTransaction(database, () => {
        const due = sql.due.all(before, limit);
        for (const { project, month } of due) {
          sql.settle.run(String(project), String(month));
          sql.dropProducers.run(String(project), String(month));
        }
        return due.length;
      }),
    coverOverdrawn: async (month) =>
      inTransaction(database, () => {
        const overdrawn = sql.overdrawn.all(month);
        for (const { lane, project, units } of overdrawn) {
          sql.cover.run(String(lane), String(project), month);
          sql.addTaken.run(Number(units), String(project), month);
        }
        return overdrawn.reduce((sum, { units }) => sum + Number(units), 0);
      }),
    // A producer's rows are small, and are deleted when their month is settled.
    tidyProducers: async () => ({ pruned: 0, forgotten: 0 }),
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    page: database.prepare(
      'SELECT * FROM usage_month WHERE month = ? AND project > ? ORDER BY project LIMIT ?',
    ),
    daily: database.prepare(
      'SELECT coalesce(sum(requests), 0) AS sum FROM usage_day WHERE project = ? AND day >= ? AND day < ?',
    ),
    producers: database.prepare(
      `SELECT coalesce(sum(held), 0) AS held, coalesce(sum(counted), 0) AS counted,
         coalesce(sum(orders), 0) AS orders,
         coalesce(sum(max(counted - held, 0)), 0) AS overdrawn
       FROM usage_lane WHERE project = ? AND month = ?`,
    ),
    overdrawn: database.prepare(
      `SELECT lane, m.project, counted - held AS units FROM usage_month m
       CROSS JOIN usage_lane l ON l.project = m.project AND l.month = m.month
       WHERE m.month = ? AND counted > held`,
    ),
    cover: database.prepare(
      `UPDATE usage_lane SET held = counted, revision = revision + 1
       WHERE lane = ? AND project = ? AND month = ?`,
    ),
    addTaken: database.prepare('UPDATE usage_month SET taken = taken + ? WHERE project = ? AND month = ?'),
    due: database.prepare(
      'SELECT project, month FROM usage_month WHERE settled = 0 AND month < ? ORDER BY month LIMIT ?',
    ),
    settle: database.prepare(
      'UPDATE usage_month SET settled = 1, taken = requests WHERE project = ? AND month = ?',
    ),
    dropProducers: database.prepare('DELETE FROM usage_lane WHERE project = ? AND month = ?'),
  };
}

function auditOf(sql: Statements, month: string, row: Record<string, unknown>): RecordAudit {
  const project = String(row.project);
  const sums = sql.producers.get(project, month);
  return {
    project,
    requests: Number(row.requests),
    orders: Number(row.orders),
    taken: Number(row.taken),
    daily: Number(sql.daily.get(project, `${month}-01`, `${month}-99`)?.sum),
    producers:
      row.settled === 1
        ? undefined
        : {
            outstanding: Number(sums?.held),
            counted: Number(sums?.counted),
            orders: Number(sums?.orders),
            overdrawn: Number(sums?.overdrawn),
          },
  };
}
