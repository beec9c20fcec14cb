import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import { DaySums, foldAfter, type ProducerDeltas, type RecordDeltas } from '../../fold.ts';
import { batchOf } from '../../lease.ts';
import type {
  ClosedProducer,
  Lease,
  LeaseRelease,
  LeaseRequest,
  MonthUsage,
  Refusal,
  UsageStore,
} from '../../ports.ts';
import { settledRefusals } from '../../refusals.ts';
import { prepare, type Statements } from './statements.ts';
import { createUpkeep } from './upkeep.ts';

/**
 * Usage in the embedded database; its schema is `USAGE_MIGRATIONS`. Every change is one transaction. Tables
 * and columns call a producer a lane, and its leased units `held`, as an earlier version did.
 */
export function createSqliteUsage(database: DatabaseSync): UsageStore {
  const sql = prepare(database);
  return {
    take: async (request) => inTransaction(database, () => take(sql, request)),
    release: async (releases) =>
      inTransaction(database, () => releases.flatMap((one) => release(sql, one) ?? [])),
    closeProducer: async (producer) => inTransaction(database, () => close(sql, producer)),
    apply: async (records) => inTransaction(database, () => records.flatMap((record) => apply(sql, record))),
    ...createUpkeep(database, sql),
    read: async (project, month) => read(sql, project, month),
  };
}

function take(sql: Statements, request: LeaseRequest): Lease {
  const { project, month, producer, limit, waiting, atHand, most } = request;
  sql.addMonth.run(project, month);
  sql.addProducer.run(project, month, producer);
  const before = sql.producer.get(project, month, producer);
  const unclaimed = Math.max(limit - Number(sql.month.get(project, month)?.taken), 0);
  const units = batchOf(unclaimed, waiting, atHand, most);
  sql.addTaken.run(units, project, month);
  sql.leased.run(units, project, month, producer);
  return {
    units,
    outstanding: Number(before?.held),
    revision: Number(before?.revision) + 1,
    unclaimed: unclaimed - units,
  };
}

function release(sql: Statements, one: LeaseRelease): LeaseRelease | undefined {
  const { project, month, producer, units, revision } = one;
  if (sql.released.run(units, project, month, producer, revision).changes === 0) return undefined;
  sql.addTaken.run(-units, project, month);
  return { ...one, revision: revision + 1 };
}

function close(sql: Statements, producer: string): ClosedProducer {
  const rows = sql.unspent.all(producer);
  let units = 0;
  for (const { project, month, held, counted } of rows) {
    const unspent = Number(held) - Number(counted);
    units += unspent;
    sql.free.run(producer, String(project), String(month));
    sql.addTaken.run(-unspent, String(project), String(month));
  }
  return { records: rows.length, units };
}

function apply(sql: Statements, record: RecordDeltas): Refusal[] {
  const { project, month, producers } = record;
  sql.addMonth.run(project, month);
  if (sql.month.get(project, month)?.settled === 1) return settledRefusals(record);
  for (const one of producers) count(sql, { project, month }, one);
  return [];
}

function count(
  sql: Statements,
  { project, month }: Pick<RecordDeltas, 'project' | 'month'>,
  one: ProducerDeltas,
): void {
  sql.addProducer.run(project, month, one.producer);
  const applied = Number(sql.producer.get(project, month, one.producer)?.applied);
  const days = new DaySums();
  const folded = foldAfter(one, applied, days);
  if (folded === undefined) return;
  const { sequence, requests, orders } = folded;
  sql.applied.run(sequence, requests, orders, project, month, one.producer);
  sql.count.run(requests, orders, project, month);
  for (const [breakdown, day, name, sum] of days.entries()) {
    if (breakdown === 'days') sql.addDay.run(project, day, name, sum);
    else sql.addBreakdown.run(project, day, breakdown, name, sum);
  }
}

function read(sql: Statements, project: string, month: string): MonthUsage {
  const row = sql.month.get(project, month);
  const [first, last] = [`${month}-01`, `${month}-99`];
  const days: Record<string, Record<string, number>> = {};
  for (const { day, endpoint, requests } of sql.days.all(project, first, last)) {
    (days[String(day)] ??= {})[String(endpoint)] = Number(requests);
  }
  const others: Partial<Record<string, typeof days>> = {};
  for (const { breakdown, day, name, requests } of sql.breakdowns.all(project, first, last)) {
    ((others[String(breakdown)] ??= {})[String(day)] ??= {})[String(name)] = Number(requests);
  }
  const { statuses, keys } = others;
  return {
    requests: Number(row?.requests ?? 0),
    orders: Number(row?.orders ?? 0),
    taken: Number(row?.taken ?? 0),
    days,
    ...(statuses && { statuses }),
    ...(keys && { keys }),
  };
}
