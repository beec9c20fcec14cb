/** Lanes: renewed, closed, given up. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../clock.ts';
import { inTransaction } from '../../../stores/sqlite.ts';
import type { ClosedLane, GivenUp, LaneRegistry, QuotaLedger } from '../../ports.ts';

/** The lanes of the embedded database. */
export function createLanes(
  database: DatabaseSync,
  clock: Clock,
): LaneRegistry & Pick<QuotaLedger, 'renewLane'> {
  const sql = prepare(database);
  return {
    renewLane: async (lane) => sql.renew.run(lane, clock.now()).changes === 1,
    closeLane: async (lane) =>
      inTransaction(database, () => {
        sql.close.run(lane, clock.now());
        return free(sql, lane, 0);
      }),
    giveUpLane: async (lane, silentMs) =>
      inTransaction(database, () => giveUp(sql, lane, clock.now(), silentMs)),
    async openLanes(limit) {
      const now = clock.now();
      return sql.open.all(limit).map(({ lane, renewed_at, records, units }) => ({
        lane: String(lane),
        silentMs: Math.max(now - Number(renewed_at), 0),
        records: Number(records),
        units: Number(units),
      }));
    },
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    renew: database.prepare(
      `INSERT INTO usage_lane_life (lane, state, renewed_at) VALUES (?, 'open', ?)
       ON CONFLICT DO UPDATE SET renewed_at = excluded.renewed_at WHERE state = 'open'`,
    ),
    close: database.prepare(
      `INSERT INTO usage_lane_life (lane, state, ended_at) VALUES (?, 'closed', ?)
       ON CONFLICT DO UPDATE SET state = 'closed', ended_at = excluded.ended_at WHERE state = 'open'`,
    ),
    life: database.prepare('SELECT * FROM usage_lane_life WHERE lane = ?'),
    giveUp: database.prepare(`UPDATE usage_lane_life SET state = 'given up', ended_at = ? WHERE lane = ?`),
    holding: database.prepare('SELECT * FROM usage_lane WHERE lane = ? AND held > counted'),
    free: database.prepare(
      `UPDATE usage_lane SET held = counted, revision = revision + 1, lost = ?
       WHERE lane = ? AND project = ? AND month = ?`,
    ),
    addTaken: database.prepare('UPDATE usage_month SET taken = taken + ? WHERE project = ? AND month = ?'),
    open: database.prepare(
      `SELECT life.lane, life.renewed_at, count(held.lane) AS records,
         coalesce(sum(held.held - held.counted), 0) AS units
       FROM (SELECT * FROM usage_lane_life WHERE state = 'open' ORDER BY state, renewed_at LIMIT ?) AS life
       LEFT JOIN usage_lane AS held ON held.lane = life.lane AND held.held > held.counted
       GROUP BY life.renewed_at, life.lane ORDER BY life.renewed_at`,
    ),
  };
}

function giveUp(sql: Statements, lane: string, now: number, silentMs: number): GivenUp {
  const life = sql.life.get(lane);
  if (life === undefined) return { outcome: 'unknown' };
  if (life.state === 'closed') return { outcome: 'closed' };
  const silent = now - Number(life.renewed_at);
  if (life.state === 'open') {
    if (silent < silentMs) return { outcome: 'alive', silentMs: silent };
    sql.giveUp.run(now, lane);
  }
  return { outcome: 'given up', ...free(sql, lane, 1) };
}

/** @param lost 1 when nothing of the lane is to be counted from now on */
function free(sql: Statements, lane: string, lost: 0 | 1): ClosedLane {
  const rows = sql.holding.all(lane);
  let units = 0;
  for (const { project, month, held, counted } of rows) {
    const unspent = Number(held) - Number(counted);
    units += unspent;
    sql.free.run(lost, lane, String(project), String(month));
    sql.addTaken.run(-unspent, String(project), String(month));
  }
  return { records: rows.length, units };
}
