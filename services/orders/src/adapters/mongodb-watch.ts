import { toChecksum } from '@hindsight/chain/address.ts';
import { CheckpointConflict } from '@hindsight/indexing/position.ts';
import { freeAt } from '@hindsight/stores/leases.ts';
import { inCausalOrder } from '@hindsight/stores/mongodb-causal.ts';
import { isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Filter } from 'mongodb';
import { NEVER } from '../domain/order-state.ts';
import type { OrderWatch, WatchedOrder } from '../ports.ts';
import { LISTED, ORDERS, WATCH, type OrderDocument, type WatchDocument } from './mongodb-documents.ts';

/**
 * The open orders of a network in MongoDB. Steps are in causal order, and to claim the lease is a write: a search that takes
 * over sees all that the one before has written.
 */
export function createMongodbWatch(store: MongoStore, network: string): OrderWatch {
  const run = inCausalOrder(store);
  const orders = store.db.collection<OrderDocument>(ORDERS);
  const watch = store.db.collection<WatchDocument>(WATCH);
  const published = { 'record.network': network, sent: true } as const;
  return {
    due: (time, limit) =>
      run(async (_, session) => {
        // Orders of releases that did not look have no time yet.
        const isDue = { $or: [{ lookAt: { $lte: time } }, { lookAt: { $exists: false } }] };
        const found = orders.find({ ...published, ...isDue }, session);
        return (await found.sort({ lookAt: 1 }).limit(limit).toArray()).map(toWatched);
      }),
    async *ofSwappers(swappers, atOnce) {
      const read = (which: Filter<OrderDocument>): Promise<OrderDocument[]> =>
        run((_, session) =>
          orders
            .find({ ...published, ...which }, session)
            .sort({ [LISTED.swapper]: 1, lookAt: 1, _id: 1 })
            .limit(atOnce)
            .toArray(),
        );
      let rest = swappers.map(toChecksum);
      for (;;) {
        let found = await read({ [LISTED.swapper]: { $in: rest }, lookAt: { $ne: NEVER } });
        if (found.length > 0) yield found.map(toWatched);
        if (found.length < atOnce) return;
        const { swapper } = found.at(-1)!.record.order;
        const of = { [LISTED.swapper]: swapper };
        for (let last = found.at(-1); last !== undefined; last = found.at(-1)) {
          // Orders of releases that did not look have no time yet, and come first.
          const { lookAt, _id } = last;
          found = await read({ ...of, lookAt: lookAt ?? { $exists: false }, _id: { $gt: _id } });
          if (found.length === 0) found = await read({ ...of, lookAt: { $gt: lookAt ?? -1, $lt: NEVER } });
          if (found.length > 0) yield found.map(toWatched);
        }
        rest = rest.filter((one) => one > swapper);
      }
    },
    seenFilled: () =>
      run(async (_, session) => {
        const seen = { 'record.network': network, 'state.fill.block': { $gte: 0 } };
        const found = orders.find(seen, session);
        return (await found.toArray()).flatMap(({ _id: id, state }) =>
          state?.status === 'open' && state.fill ? [{ id, fill: state.fill }] : [],
        );
      }),
    noteClear: (looks) =>
      run(async (_, session) => {
        const writes = looks.map(({ id, clearAt, lookAt }) => ({
          updateOne: { filter: { _id: id, lookAt: { $ne: NEVER } }, update: { $set: { clearAt, lookAt } } },
        }));
        if (writes.length > 0) await orders.bulkWrite(writes, session);
      }),
    postpone: (id, lookAt) =>
      run(async (_, session) => {
        const open = { _id: id, lookAt: { $ne: NEVER } };
        await orders.updateOne(open, { $set: { lookAt } }, session);
      }),
    position: () =>
      run(async (_, session) => {
        const found = await watch.findOne({ _id: network }, session);
        const { from, number, hash, movedAt } = found ?? {};
        if (from === undefined || number === undefined || hash === undefined) return null;
        return { from, number, hash, movedAt: movedAt ?? 0 };
      }),
    advance: (base, { from, number, hash, movedAt }) =>
      run(async (_, session) => {
        const at = { number: base?.number ?? { $exists: false }, hash: base?.hash ?? { $exists: false } };
        const to = { $set: { from, number, hash, movedAt } };
        const { matchedCount } = await watch.updateOne({ _id: network, ...at }, to, session);
        if (matchedCount === 0) throw new CheckpointConflict();
      }),
    claim: ({ holder, until, status }, now) =>
      run((_, session) => {
        const free = { _id: network, $or: [{ holder }, { until: freeAt(now) }] };
        const taken = { $set: { holder, until, status } };
        const options = { upsert: true, ...session };
        // A duplicate: the lease exists and is held by another instance.
        return isWritten(watch.updateOne(free, taken, options));
      }),
    release: (holder) =>
      run(async (_, session) => {
        await watch.updateOne({ _id: network, holder }, { $set: { until: 0 } }, session);
      }),
  };
}

function toWatched({ record, clearAt }: OrderDocument): WatchedOrder {
  return { record, clearAt: clearAt ?? null };
}
