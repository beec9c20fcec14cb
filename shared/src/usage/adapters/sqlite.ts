import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { inTransaction } from '../../stores/sqlite.ts';
import { foldAfter, type MonthDeltas } from '../fold.ts';
import { blockOf } from '../lease.ts';
import type { ClosedLane, Lease, LeaseRequest, LeaseReturn, MonthUsage, UsageStore } from '../ports.ts';

/** Usage in the embedded database; its schema is `USAGE_MIGRATIONS`. Every change is a transaction of its own. */
export function createSqliteUsage(database: DatabaseSync): UsageStore {
  const sql = prepare(database);
  return {
    take: async (request) => inTransaction(database, () => take(sql, request)),
    giveBack: async (returns) =>
      inTransaction(database, () => returns.flatMap((one) => giveBack(sql, one) ?? [])),
    apply: async (deltas) => inTransaction(database, () => deltas.forEach((one) => apply(sql, one))),
    closeLane: async (lane) => inTransaction(database, () => closeLane(sql, lane)),
    async openLanes(month, limit) {
      return sql.openLanes.all(month, limit).map((row) => ({
        lane: String(row.lane),
        records: Number(row.records),
        units: Number(row.units),
      }));
    },
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
      `UPDATE usage_lane SET applied = ?, counted = counted + ? WHERE project = ? AND month = ? AND lane = ?`,
    ),
    addDay: statement(
      `INSERT INTO usage_day (project, day, endpoint, requests) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`,
    ),
    ofLane: statement('SELECT * FROM usage_lane WHERE lane = ? AND held > counted'),
    openLanes: statement(
      `SELECT lane, count(*) AS records, sum(held - counted) AS units FROM usage_lane
       WHERE month = ? AND held > counted GROUP BY lane ORDER BY units DESC LIMIT ?`,
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

function apply(sql: Statements, { project, month, lane, deltas }: MonthDeltas): void {
  sql.addMonth.run(project, month);
  sql.addLane.run(project, month, lane);
  const folded = foldAfter(deltas, Number(sql.lane.get(project, month, lane)?.applied));
  if (folded === undefined) return;
  sql.applied.run(folded.sequence, folded.requests, project, month, lane);
  sql.count.run(folded.requests, folded.orders, project, month);
  for (const [day, endpoints] of folded.days) {
    for (const [endpoint, requests] of endpoints) sql.addDay.run(project, day, endpoint, requests);
  }
}

function closeLane(sql: Statements, lane: string): ClosedLane {
  const rows = sql.ofLane.all(lane);
  let units = 0;
  for (const row of rows) {
    const unspent = Number(row.held) - Number(row.counted);
    units += unspent;
    giveBack(sql, {
      project: String(row.project),
      month: String(row.month),
      lane,
      units: unspent,
      revision: Number(row.revision),
    });
  }
  return { records: rows.length, units };
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
