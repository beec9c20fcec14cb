import { inCausalOrder } from '@hindsight/stores/mongodb-causal.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { PublishedOrders } from '../ports.ts';
import { ORDERS, OUTBOX, OUTBOX_ID, type OrderDocument, type OutboxDocument } from './mongodb-documents.ts';
import { toEnd, toReceived } from './mongodb-outbox.ts';

/**
 * Published orders in MongoDB. A batch under way is not yet published, so what is read is complete: all sequences up to
 * the head are written. Steps are in causal order: an order that the head speaks of is seen.
 */
export function createMongodbPublished(store: MongoStore): PublishedOrders {
  const inOrder = inCausalOrder(store);
  const orders = store.db.collection<OrderDocument>(ORDERS);
  const outbox = store.db.collection<OutboxDocument>(OUTBOX);
  return {
    head: () =>
      inOrder(async (_, session) => {
        const state = await outbox.findOne({ _id: OUTBOX_ID }, session);
        if (state === null) throw new Error('the outbox has no document');
        const { source, batchIds, firstSequence, nextSequence } = state;
        return { source, sequence: (batchIds === null ? nextSequence : firstSequence) - 1 };
      }),
    read: (after, upTo, limit) =>
      inOrder(async (_, session) => {
        const between = { $gt: after, $lte: upTo };
        const inOrderOf = (key: 'sequence' | 'settledSequence'): Promise<OrderDocument[]> =>
          orders
            .find({ [key]: between }, session)
            .sort({ [key]: 1 })
            .limit(limit)
            .toArray();
        const received = await inOrderOf('sequence');
        const ended = await inOrderOf('settledSequence');
        return [
          ...received.map((document) => ({ sequence: document.sequence ?? 0, ...toReceived(document) })),
          ...ended.map((document) => ({ sequence: document.settledSequence ?? 0, ...toEnd(document) })),
        ]
          .sort((one, other) => one.sequence - other.sequence)
          .slice(0, limit);
      }),
  };
}
