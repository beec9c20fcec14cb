import type { Ids } from '@hindsight/kernel/ids.ts';
import { freeAt } from '@hindsight/stores/leases.ts';
import { inCausalOrder, type InSession } from '@hindsight/stores/mongodb-causal.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Collection } from 'mongodb';
import type { EndState } from '../domain/order-end.ts';
import type { Batch, Outbox, PublishedOrders } from '../ports.ts';
import { endKey, numbered, ofKey, type Unnumbered } from './batch-keys.ts';
import { ORDERS, OUTBOX, OUTBOX_ID, type OrderDocument, type OutboxDocument } from './mongodb-documents.ts';

/**
 * The outbox in MongoDB. Every step is one conditional update of one document: a write with an unknown outcome can be read
 * back or repeated, and a late one finds its condition gone. Steps are in causal order: a relay that did not see its own
 * `sent` after an election would send those orders again, under new numbers. To take the lead is a write, so what follows
 * sees all that the leader before has written.
 */
export async function createMongodbOutbox(store: MongoStore, ids: Ids): Promise<Outbox> {
  const inOrder = inCausalOrder(store);
  const outbox = store.db.collection<OutboxDocument>(OUTBOX);
  const orders = store.db.collection<OrderDocument>(ORDERS);
  await inOrder((_, session) => create(outbox, `/orders/${ids.next()}`, session));

  async function load(state: OutboxDocument, keys: readonly string[]): Promise<Batch> {
    const ids = keys.map((key) => ofKey(key).id);
    const documents = await inOrder((_, session) => orders.find({ _id: { $in: ids } }, session).toArray());
    return toBatch(state, keys, documents);
  }

  const oldestEnds = (limit: number): Promise<OrderDocument[]> =>
    inOrder((_, session) =>
      orders.find({ settledSent: false }, session).sort({ settledAt: 1, _id: 1 }).limit(limit).toArray(),
    );

  async function begin(state: OutboxDocument, relay: string, limit: number): Promise<Batch | null> {
    const oldest = await inOrder((_, session) =>
      orders.find({ sent: false }, session).sort({ receivedAt: 1, _id: 1 }).limit(limit).toArray(),
    );
    const rest = limit - oldest.length;
    const ends = rest === 0 ? [] : await oldestEnds(rest);
    if (oldest.length + ends.length === 0) return null;
    const batchIds = [...oldest.map(({ _id }) => _id), ...ends.map(({ _id }) => endKey(_id))];
    const begun = await inOrder((_, session) => assignNumbers(outbox, session, { state, relay, batchIds }));
    return begun && toBatch(begun, batchIds, [...oldest, ...ends]);
  }

  return {
    async lead(relay, now, until) {
      const free = { $or: [{ relay: null }, { relay }, { leadsUntil: freeAt(now) }] };
      const update = { $set: { relay, leadsUntil: until } };
      const { matchedCount } = await inOrder((_, session) =>
        outbox.updateOne({ _id: OUTBOX_ID, ...free }, update, session),
      );
      return matchedCount === 1;
    },
    async nextBatch(relay, limit) {
      const state = await inOrder((_, session) => outbox.findOne({ _id: OUTBOX_ID, relay }, session));
      if (state === null) return null;
      return state.batchIds === null ? begin(state, relay, limit) : load(state, state.batchIds);
    },
    async finish(_relay, { number, entries }) {
      const sent = entries.map(({ record, sequence, end }) => {
        const done = end ? { settledSent: true, settledSequence: sequence } : { sent: true, sequence };
        return { updateOne: { filter: { _id: record.id }, update: { $set: done } } };
      });
      if (sent.length > 0) await inOrder((_, session) => orders.bulkWrite(sent, session));
      const done = { _id: OUTBOX_ID, batchNumber: number } as const;
      await inOrder((_, session) => outbox.updateOne(done, { $set: { batchIds: null } }, session));
    },
    async resign(relay) {
      const vacant = { $set: { relay: null, leadsUntil: 0 } };
      await inOrder((_, session) => outbox.updateOne({ _id: OUTBOX_ID, relay }, vacant, session));
    },
    waiting: (limit) =>
      inOrder(async (_, session) => {
        const received = await orders.countDocuments({ sent: false }, { limit, ...session });
        const ended = await orders.countDocuments({ settledSent: false }, { limit, ...session });
        return Math.min(received + ended, limit);
      }),
    async skip(sequences) {
      // The number of the batch rises too: a relay that has read the state before cannot begin a batch by it.
      const update = { $inc: { nextSequence: sequences, batchNumber: 1 } };
      await inOrder((_, session) => outbox.updateOne({ _id: OUTBOX_ID }, update, session));
    },
    async waitingSince() {
      const oldest = { sort: { receivedAt: 1, _id: 1 }, projection: { receivedAt: 1 } } as const;
      const found = await inOrder((_, session) => orders.findOne({ sent: false }, { ...oldest, ...session }));
      const [ended] = await oldestEnds(1);
      const times = [found?.receivedAt, ended?.settledAt].filter((at) => at !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}

async function create(outbox: Collection<OutboxDocument>, source: string, session: InSession): Promise<void> {
  const fresh = { source, relay: null, leadsUntil: 0, batchNumber: 0, batchIds: null };
  await outbox.updateOne(
    { _id: OUTBOX_ID },
    { $setOnInsert: { ...fresh, firstSequence: 0, nextSequence: 1 } },
    { upsert: true, ...session },
  );
}

/** Stores which orders are sent next, and under which numbers; null when another relay was faster. */
function assignNumbers(
  outbox: Collection<OutboxDocument>,
  session: InSession,
  {
    state: { batchNumber, nextSequence },
    relay,
    batchIds,
  }: { readonly state: OutboxDocument; readonly relay: string; readonly batchIds: readonly string[] },
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
    { returnDocument: 'after', ...session },
  );
}

function toReceived({ record }: OrderDocument): Unnumbered {
  return { record };
}

function toEnd({ record, state, settledAt }: OrderDocument): Unnumbered {
  return { record, end: { state: state as EndState, at: settledAt ?? 0 } };
}

function toBatch(
  { batchNumber, source, firstSequence }: OutboxDocument,
  keys: readonly string[],
  documents: readonly OrderDocument[],
): Batch {
  const byId = new Map(documents.map((document) => [document._id, document]));
  const entries = keys.map((key) => {
    const { id, isEnd } = ofKey(key);
    const document = byId.get(id);
    return document && (isEnd ? toEnd(document) : toReceived(document));
  });
  return { number: batchNumber, source, entries: numbered(firstSequence, entries) };
}

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
