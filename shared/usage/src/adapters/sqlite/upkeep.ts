/** Upkeep of the records: compares them, settles months, and removes producers that have ended. */
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { RecordAudit, UsageUpkeep } from '../../ports.ts';
import type { Statements } from './statements.ts';

export function createUpkeep(database: DatabaseSync, sql: Statements): UsageUpkeep {
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
          sql.free.run(String(lane), String(project), month);
          sql.addTaken.run(Number(units), String(project), month);
        }
        return overdrawn.reduce((sum, { units }) => sum + Number(units), 0);
      }),
    // A producer's rows are small, and are deleted when their month is settled.
    tidyProducers: async () => ({ pruned: 0, forgotten: 0 }),
  };
}

function auditOf(sql: Statements, month: string, row: Record<string, unknown>): RecordAudit {
  const project = String(row.project);
  const sums = sql.sums.get(project, month);
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
