import { toChecksum } from '@hindsight/chain/address.ts';
import type { SeenFill } from '@hindsight/events/orders-settled.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { heldInSql } from '@hindsight/stores/leases.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { OrderRecord } from '../domain/order-event.ts';
import { NEVER } from '../domain/order-state.ts';
import type { OrderWatch, WatchedOrder } from '../ports.ts';

/** The open orders of a network in the embedded database. @param place the name of the position on its chain */
export function createSqliteWatch(database: DatabaseSync, network: string, place: string): OrderWatch {
  const due = database.prepare(
    `SELECT record, clear_at FROM orders WHERE sent = 1 AND network = ? AND look_at <= ?
      ORDER BY look_at, position LIMIT ?`,
  );
  const ofSwapper = database.prepare(
    `SELECT record, clear_at, look_at, position FROM orders INDEXED BY orders_swapper
      WHERE sent = 1 AND network = :network AND swapper = :swapper
        AND (look_at, position) > (:lookAt, :position) AND look_at < ${NEVER}
      ORDER BY look_at, position LIMIT :atOnce`,
  );
  const seen = database.prepare(
    `SELECT id, json_extract(state, '$.fill') AS fill FROM orders INDEXED BY orders_seen
      WHERE network = ? AND json_extract(state, '$.fill') IS NOT NULL`,
  );
  const clear = database.prepare(
    `UPDATE orders SET clear_at = ?, look_at = ? WHERE id = ? AND look_at < ${NEVER}`,
  );
  const postpone = database.prepare(`UPDATE orders SET look_at = ? WHERE id = ? AND look_at < ${NEVER}`);
  const position = database.prepare('SELECT * FROM orders_watch WHERE network = ? AND number IS NOT NULL');
  const advance = database.prepare(
    `UPDATE orders_watch SET from_block = :from, number = :number, hash = :hash, moved_at = :movedAt
      WHERE network = :network AND number IS :baseNumber AND hash IS :baseHash`,
  );
  const claim = database.prepare(
    `INSERT INTO orders_watch (network, holder, until, status) VALUES (:network, :holder, :until, :status)
      ON CONFLICT (network) DO UPDATE SET holder = :holder, until = :until, status = :status
      WHERE holder = :holder OR NOT ${heldInSql('until', ':now')}`,
  );
  const release = database.prepare('UPDATE orders_watch SET until = 0 WHERE network = ? AND holder = ?');
  return {
    due: async (time, limit) => due.all(network, time, limit).map(toWatched),
    async *ofSwappers(swappers, atOnce) {
      for (const swapper of swappers.map(toChecksum)) {
        for (let [lookAt, position] = [-1, -1]; ;) {
          const rows = ofSwapper.all({ network, swapper, atOnce, lookAt, position });
          const last = rows.at(-1) as Record<string, number> | undefined;
          if (last === undefined) break;
          yield rows.map(toWatched);
          [lookAt, position] = [last.look_at!, last.position!];
        }
      }
    },
    seenFilled: async () =>
      seen
        .all(network)
        .map(({ id, fill }) => ({ id: id as string, fill: JSON.parse(fill as string) as SeenFill })),
    noteClear: async (looks) =>
      inTransaction(database, () => {
        for (const { id, clearAt, lookAt } of looks) clear.run(clearAt, lookAt, id);
      }),
    postpone: async (id, lookAt) => void postpone.run(lookAt, id),
    async position() {
      const row = position.get(place);
      if (row === undefined) return null;
      const { from_block: from, number, moved_at: movedAt } = row as Record<string, number>;
      return { from: from!, number: number!, hash: row.hash as string, movedAt: movedAt! };
    },
    async advance(base, { from, number, hash, movedAt }) {
      const [baseNumber, baseHash] = [base?.number ?? null, base?.hash ?? null];
      const moved = advance.run({ network: place, from, number, hash, movedAt, baseNumber, baseHash });
      if (moved.changes === 0) throw new CheckpointConflict();
    },
    claim: async ({ holder, until, status }, now) =>
      claim.run({ network: place, holder, until, status: JSON.stringify(status), now }).changes > 0,
    release: async (holder) => void release.run(place, holder),
  };
}

function toWatched({ record, clear_at: clearAt }: Record<string, SQLOutputValue>): WatchedOrder {
  return { record: JSON.parse(record as string) as OrderRecord, clearAt: clearAt as number | null };
}
