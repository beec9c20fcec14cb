import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { isWritten } from '@hindsight/stores/mongodb-errors.ts';
import { isDeepStrictEqual } from 'node:util';
import { rememberedUntil } from '../domain/order-event.ts';
import { NEVER, OPEN } from '../domain/order-state.ts';
import type { OrderStore, StoredOrder } from '../ports.ts';
import { listQueries, NEWEST_FIRST, type ListQuery } from './mongodb-list.ts';
import { ORDERS, plain, type OrderDocument } from './mongodb-documents.ts';

export function createMongodbOrders(store: MongoStore): OrderStore {
  const orders = store.db.collection<OrderDocument>(ORDERS);
  return {
    async insert(record) {
      const { id, receivedAt } = record;
      const deadline = rememberedUntil(record);
      const document = {
        _id: id,
        receivedAt,
        deadline,
        sent: false,
        state: OPEN,
        lookAt: 0,
        record: plain(record),
      };
      const write = store.run(() => orders.insertOne(document));
      return (await isWritten(write)) ? 'stored' : 'duplicate';
    },
    has: async (id) =>
      (await store.run(() => orders.findOne({ _id: id }, { projection: { _id: 1 } }))) !== null,
    async find(id) {
      const found = await store.run(() => orders.findOne({ _id: id }));
      return found && toStored(found);
    },
    async list(filter, after, limit) {
      const read = async ({ name, find }: ListQuery, most: number): Promise<StoredOrder[]> => {
        const found = await store.run(() =>
          orders.find(find).sort(NEWEST_FIRST).hint(name).limit(most).toArray(),
        );
        return found.map(toStored);
      };
      const [first, rest] = listQueries(filter, after);
      const rows = await read(first, limit);
      if (rest === undefined || rows.length === limit) return rows;
      return [...rows, ...(await read(rest, limit - rows.length))];
    },
    async settle(id, wanted, at) {
      const state = plain(wanted);
      const { matchedCount, modifiedCount } = await store.run(() =>
        orders.updateOne(
          { _id: id, 'state.finalized': { $ne: true } },
          {
            $set: {
              state,
              ...(wanted.status !== 'open' && { lookAt: NEVER, settledSent: false, settledAt: at }),
            },
          },
        ),
      );
      if (matchedCount === 1) return modifiedCount === 1 ? 'changed' : 'unchanged';
      const stored = await store.run(() => orders.findOne({ _id: id }));
      if (stored === null) return 'unknown';
      return isDeepStrictEqual(stored.state, state) ? 'unchanged' : 'final';
    },
    async removeOld({ receivedBefore, deadlineBefore, openDeadlineBefore }, limit) {
      // An end is kept as long after it was decided, and until it is published.
      const isTold = {
        settledAt: { $not: { $gte: receivedBefore } },
        $or: [
          { settledSent: true },
          { settledSent: { $exists: false }, deadline: { $lt: openDeadlineBefore } },
        ],
      };
      const isOld = { receivedAt: { $lt: receivedBefore }, deadline: { $lt: deadlineBefore } };
      const old = { sent: true, ...isOld, ...isTold };
      const found = await store.run(() =>
        orders
          .find(old, { projection: { _id: 1 } })
          .limit(limit)
          .toArray(),
      );
      const ids = found.map(({ _id }) => _id);
      if (ids.length === 0) return 0;
      return (await store.run(() => orders.deleteMany({ _id: { $in: ids }, sent: true, ...isTold })))
        .deletedCount;
    },
  };
}

function toStored({ record, state }: OrderDocument): StoredOrder {
  return { record, state: state ?? OPEN };
}
