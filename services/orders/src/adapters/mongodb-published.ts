import { inCausalOrder } from '@hindsight/stores/mongodb-causal.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { PublishedOrders } from '../ports.ts';
import { ORDERS, OUTBOX, OUTBOX_ID, type OrderDocument, type OutboxDocument } from './mongodb-documents.ts';

/**
 * Published orders in MongoDB. A batch under way is not yet published, so what is read is complete: all sequences up to
 * the head are written. Steps are in causal order: an order that the head speaks of is seen.
 */
export function createMongodbPublished(store: MongoStore): PublishedOrders {
  const inOrder = inCausalOrder(store);
  return {
    head: () =>
      inOrder(async (db, session) => {
        const state = await db.collection<OutboxDocument>(OUTBOX).findOne({ _id: OUTBOX_ID }, session);
        if (state === null) throw new Error('the outbox has no document');
        const { source, batchIds, firstSequence, nextSequence } = state;
        return { source, sequence: (batchIds === null ? nextSequence : firstSequence) - 1 };
      }),
    read: (after, upTo, limit) =>
      inOrder(async (db, session) => {
        const found = await db
          .collection<OrderDocument>(ORDERS)
          .find({ sequence: { $gt: after, $lte: upTo } }, session)
          .sort({ sequence: 1 })
          .limit(limit)
          .toArray();
        return found.map(({ sequence = 0, record }) => ({ sequence, record }));
      }),
  };
}
