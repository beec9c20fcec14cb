import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Statements = ReturnType<typeof prepare>;

export function prepare(database: DatabaseSync) {
  const statement = (text: string): StatementSync => database.prepare(text);
  return {
    addMonth: statement('INSERT OR IGNORE INTO usage_month (project, month) VALUES (?, ?)'),
    addProducer: statement('INSERT OR IGNORE INTO usage_lane (project, month, lane) VALUES (?, ?, ?)'),
    month: statement('SELECT * FROM usage_month WHERE project = ? AND month = ?'),
    producer: statement('SELECT * FROM usage_lane WHERE project = ? AND month = ? AND lane = ?'),
    addTaken: statement('UPDATE usage_month SET taken = taken + ? WHERE project = ? AND month = ?'),
    leased: statement(
      `UPDATE usage_lane SET held = held + ?, revision = revision + 1
       WHERE project = ? AND month = ? AND lane = ?`,
    ),
    released: statement(
      `UPDATE usage_lane SET held = held - ?, revision = revision + 1
       WHERE project = ? AND month = ? AND lane = ? AND revision = ?`,
    ),
    unspent: statement('SELECT * FROM usage_lane WHERE lane = ? AND held > counted'),
    free: statement(
      `UPDATE usage_lane SET held = counted, revision = revision + 1
       WHERE lane = ? AND project = ? AND month = ?`,
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
    addBreakdown: statement(
      `INSERT INTO usage_breakdown (project, day, breakdown, name, requests) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET requests = requests + excluded.requests`,
    ),
    breakdowns: statement('SELECT * FROM usage_breakdown WHERE project = ? AND day >= ? AND day < ?'),
    days: statement('SELECT * FROM usage_day WHERE project = ? AND day >= ? AND day < ?'),
    page: statement('SELECT * FROM usage_month WHERE month = ? AND project > ? ORDER BY project LIMIT ?'),
    daily: statement(
      'SELECT coalesce(sum(requests), 0) AS sum FROM usage_day WHERE project = ? AND day >= ? AND day < ?',
    ),
    sums: statement(
      `SELECT coalesce(sum(held), 0) AS held, coalesce(sum(counted), 0) AS counted,
         coalesce(sum(orders), 0) AS orders,
         coalesce(sum(max(counted - held, 0)), 0) AS overdrawn
       FROM usage_lane WHERE project = ? AND month = ?`,
    ),
    overdrawn: statement(
      `SELECT lane, m.project, counted - held AS units FROM usage_month m
       CROSS JOIN usage_lane l ON l.project = m.project AND l.month = m.month
       WHERE m.month = ? AND counted > held`,
    ),
    due: statement(
      'SELECT project, month FROM usage_month WHERE settled = 0 AND month < ? ORDER BY month LIMIT ?',
    ),
    settle: statement('UPDATE usage_month SET settled = 1, taken = requests WHERE project = ? AND month = ?'),
    dropProducers: statement('DELETE FROM usage_lane WHERE project = ? AND month = ?'),
  };
}
