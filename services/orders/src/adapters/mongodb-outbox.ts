import type { Ids } from '@hindsight/kernel/ids.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Collection } from 'mongodb';
import type { OrderRecord } from '../domain/order-event.ts';
import type { Batch, Outbox } from '../ports.ts';
import { ORDERS, OUTBOX, OUTBOX_ID, type OrderDocument, type OutboxDocument } from './mongodb-documents.ts';

/**
 * The outbox in MongoDB. Every step is one conditional update of one document: a write with an unknown outcome can be read
 * back or repeated, and a late one finds its condition gone.
 */
export async function createMongodbOutbox(store: MongoStore, ids: Ids): Promise<Outbox> {
  const run = <T>(work: (outbox: Collection<OutboxDocument>) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<OutboxDocument>(OUTBOX)));
  const inOrders = <T>(work: (orders: Collection<OrderDocument>) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<OrderDocument>(ORDERS)));
  await run((outbox) => create(outbox, `/orders/${ids.next()}`));

  async function load(state: OutboxDocument, known: readonly string[]): Promise<Batch> {
    const documents = await inOrders((orders) => orders.find({ _id: { $in: [...known] } }).toArray());
    return toBatch(state, known, new Map(documents.map(({ _id, record }) => [_id, record])));
  }

  async function begin(state: OutboxDocument, relay: string, limit: number): Promise<Batch | null> {
    const oldest = await inOrders((orders) =>
      orders.find({ sent: false }).sort({ receivedAt: 1, _id: 1 }).limit(limit).toArray(),
    );
    if (oldest.length === 0) return null;
    const batchIds = oldest.map(({ _id }) => _id);
    const begun = await run((outbox) => fix(outbox, state, relay, batchIds));
    if (begun === null) return null;
    return toBatch(begun, batchIds, new Map(oldest.map(({ _id, record }) => [_id, record])));
  }

  return {
    async lead(relay, now, until) {
      const free = { $or: [{ relay: null }, { relay }, { leadsUntil: { $lte: now } }] };
      const update = { $set: { relay, leadsUntil: until } };
      const { matchedCount } = await run((outbox) => outbox.updateOne({ _id: OUTBOX_ID, ...free }, update));
      return matchedCount === 1;
    },
    async nextBatch(relay, limit) {
      const state = await run((outbox) => outbox.findOne({ _id: OUTBOX_ID, relay }));
      if (state === null) return null;
      return state.batchIds === null ? begin(state, relay, limit) : load(state, state.batchIds);
    },
    async finish(_relay, { number, entries }) {
      const sent = entries.map(({ record }) => record.id);
      await inOrders((orders) => orders.updateMany({ _id: { $in: sent } }, { $set: { sent: true } }));
      const done = { _id: OUTBOX_ID, batchNumber: number } as const;
      await run((outbox) => outbox.updateOne(done, { $set: { batchIds: null } }));
    },
    async resign(relay) {
      const vacant = { $set: { relay: null, leadsUntil: 0 } };
      await run((outbox) => outbox.updateOne({ _id: OUTBOX_ID, relay }, vacant));
    },
    waiting: (limit) => inOrders((orders) => orders.countDocuments({ sent: false }, { limit })),
  };
}

async function create(outbox: Collection<OutboxDocument>, source: string): Promise<void> {
  const fresh = { source, relay: null, leadsUntil: 0, batchNumber: 0, batchIds: null };
  await outbox.updateOne(
    { _id: OUTBOX_ID },
    { $setOnInsert: { ...fresh, firstSequence: 0, nextSequence: 1 } },
    { upsert: true },
  );
}

/** Fixes which orders are sent next, under which numbers; null when another relay was faster. */
function fix(
  outbox: Collection<OutboxDocument>,
  { batchNumber, nextSequence }: OutboxDocument,
  relay: string,
  batchIds: readonly string[],
): Promise<OutboxDocument | null> {
  return outbox.findOneAndUpdate(
    { _id: OUTBOX_ID, relay, batchNumber, batchIds: null },
    {
      $set: {
        batchIds,
        batchNumber: batchNumber + 1,
        firstSequence: nextSequence,
        nextSequence: nextSequence + batchIds.length,
      },
    },
    { returnDocument: 'after' },
  );
}

function toBatch(
  { batchNumber, source, firstSequence }: OutboxDocument,
  ids: readonly string[],
  records: ReadonlyMap<string, OrderRecord>,
): Batch {
  // A missing order was sent long ago; the others keep their numbers.
  const entries = ids.flatMap((id, at) => {
    const record = records.get(id);
    return record === undefined ? [] : [{ sequence: firstSequence + at, record }];
  });
  return { number: batchNumber, source, entries };
}
