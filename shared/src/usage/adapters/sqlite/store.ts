import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../../../clock.ts';
import { inTransaction } from '../../../stores/sqlite.ts';
import { foldAfter, lastWithRoom, type LaneDeltas, type RecordDeltas } from '../../fold.ts';
import { blockOf } from '../../lease.ts';
import type { Lease, LeaseRequest, LeaseReturn, MonthUsage, Refusal, UsageStore } from '../../ports.ts';
import { REFUSED } from '../../refusals.ts';
import { createLanes } from './lanes.ts';
import { createUpkeep } from './upkeep.ts';

/** Usage in the embedded database; its schema is `USAGE_MIGRATIONS`. Every change is a transaction of its own. */
export function createSqliteUsage(database: DatabaseSync, clock: Clock): UsageStore {
  const sql = prepare(database);
  return {
    take: async (request) => inTransaction(database, () => take(sql, request)),
    giveBack: async (returns) =>
      inTransaction(database, () => returns.flatMap((one) => giveBack(sql, one) ?? [])),
    apply: async (records) => inTransaction(database, () => records.flatMap((record) => apply(sql, record))),
    ...createLanes(database, clock),
    ...createUpkeep(database, clock),
    read: async (project, month) => read(sql, project, month),
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  const statement = (text: string): StatementSync => database.prepare(text);
  return {
    addMonth: statement('INSERT OR IGNORE INTO usage_month (project, month) VALUES (?, ?)'),
    addLane: statement('INSERT OR IGNORE INTO usage_lane (project, month, lane) VALUES (?, ?, ?)'),
    month: statement('SELECT * FROM usage_month WHERE project = ? AND month = ?'),
    lane: statement('SELECT * FROM usage_lane WHERE project = ? AND month = ? AND lane = ?'),
    addTaken: statement('UPDATE usage_month SET taken = taken + ? WHERE project = ? AND month = ?'),
    setLimit: statement('UPDATE usage_month SET lease_limit = ? WHERE project = ? AND month = ?'),
    addHeld: statement(
      `UPDATE usage_lane SET held = held + ?, revision = revision + 1
       WHERE project = ? AND month = ? AND lane = ?`,
    ),
    returned: statement(
      `UPDATE usage_lane SET held = held - ?, revision = revision + 1
       WHERE project = ? AND month = ? AND lane = ? AND revision = ?`,
    ),
    count: statement(
      'UPDATE usage_month SET requests = requests + ?, orders = orders + ? WHERE project = ? AND month = ?',
    ),
    applied: statement(
      `UPDATE usage_lane SET applied = ?, counted = counted + ?, orders = orders + ?
       WHERE project = ? AND month = ? AND lane = ?`,
    ),
    addDay: statement(
      `INSERT INTO usage_day (project, day, endpoint, requests) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`,
    ),
    days: statement('SELECT * FROM usage_day WHERE project = ? AND day >= ? AND day < ?'),
  };
}

function take(sql: Statements, { project, month, lane, limit, atLeast }: LeaseRequest): Lease {
  sql.addMonth.run(project, month);
  sql.addLane.run(project, month, lane);
  const before = sql.lane.get(project, month, lane);
  const unclaimed = Math.max(limit - Number(sql.month.get(project, month)?.taken), 0);
  const units = blockOf(unclaimed, atLeast);
  sql.addTaken.run(units, project, month);
  if (units > 0) sql.setLimit.run(limit, project, month);
  sql.addHeld.run(units, project, month, lane);
  return {
    units,
    heldBefore: Number(before?.held),
    revision: Number(before?.revision) + 1,
    unclaimed: unclaimed - units,
  };
}

function giveBack(
  sql: Statements,
  { project, month, lane, units, revision }: LeaseReturn,
): LeaseReturn | undefined {
  if (sql.returned.run(units, project, month, lane, revision).changes === 0) return undefined;
  sql.addTaken.run(-units, project, month);
  return { project, month, lane, units, revision: revision + 1 };
}

/** Which record. */
type Key = Pick<RecordDeltas, 'project' | 'month'>;

function apply(sql: Statements, { project, month, lanes }: RecordDeltas): Refusal[] {
  sql.addMonth.run(project, month);
  return lanes.flatMap((one) => applyLane(sql, { project, month }, one));
}

function applyLane(sql: Statements, { project, month }: Key, one: LaneDeltas): Refusal[] {
  const refuse = (after: number, reason: string): Refusal[] =>
    (one.deltas.at(-1)?.sequence ?? -1) <= after ? [] : [{ lane: one.lane, project, month, after, reason }];
  const { settled, taken, lease_limit: limit } = sql.month.get(project, month) ?? {};
  if (settled === 1) return refuse(-1, REFUSED.settled);
  sql.addLane.run(project, month, one.lane);
  const { applied, lost } = sql.lane.get(project, month, one.lane) ?? {};
  if (lost !== 1) {
    count(sql, { project, month }, one, Number(applied));
    return [];
  }
  // What it held was given back; what it counts after all is taken anew.
  const upTo = lastWithRoom(one, Number(applied), Number(limit) - Number(taken));
  const units = count(sql, { project, month }, one, Number(applied), upTo);
  sql.addTaken.run(units, project, month);
  sql.addHeld.run(units, project, month, one.lane);
  return refuse(upTo, REFUSED.noRoom);
}

/** @returns how many requests */
function count(
  sql: Statements,
  { project, month }: Key,
  one: LaneDeltas,
  applied: number,
  upTo?: number,
): number {
  const days = new Map<string, Map<string, number>>();
  const folded = foldAfter(one, applied, days, upTo);
  if (folded === undefined) return 0;
  const { sequence, requests, orders } = folded;
  sql.applied.run(sequence, requests, orders, project, month, one.lane);
  sql.count.run(requests, orders, project, month);
  for (const [day, endpoints] of days) {
    for (const [endpoint, sum] of endpoints) sql.addDay.run(project, day, endpoint, sum);
  }
  return requests;
}

function read(sql: Statements, project: string, month: string): MonthUsage {
  const row = sql.month.get(project, month);
  const days: Record<string, Record<string, number>> = {};
  for (const { day, endpoint, requests } of sql.days.all(project, `${month}-01`, `${month}-99`)) {
    (days[String(day)] ??= {})[String(endpoint)] = Number(requests);
  }
  return {
    requests: Number(row?.requests ?? 0),
    orders: Number(row?.orders ?? 0),
    taken: Number(row?.taken ?? 0),
    days,
  };
}
