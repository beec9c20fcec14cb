import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { Collection } from 'mongodb';
import { rememberedUntil } from '../domain/order-event.ts';
import type { OrderStore } from '../ports.ts';
import { ORDERS, plain, type OrderDocument } from './mongodb-documents.ts';

/** Orders in MongoDB. */
export function createMongodbOrders(store: MongoStore): OrderStore {
  const run = <T>(work: (orders: Collection<OrderDocument>) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<OrderDocument>(ORDERS)));
  return {
    async insert(record) {
      const { id, receivedAt } = record;
      const deadline = rememberedUntil(record);
      const document = { _id: id, receivedAt, deadline, sent: false, record: plain(record) };
      const write = run((orders) => orders.insertOne(document));
      return (await isWritten(write)) ? 'stored' : 'duplicate';
    },
    has: async (id) =>
      (await run((orders) => orders.findOne({ _id: id }, { projection: { _id: 1 } }))) !== null,
    async removeOld({ receivedBefore, deadlineBefore }, limit) {
      const old = { sent: true, receivedAt: { $lt: receivedBefore }, deadline: { $lt: deadlineBefore } };
      const found = await run((orders) =>
        orders
          .find(old, { projection: { _id: 1 } })
          .limit(limit)
          .toArray(),
      );
      const ids = found.map(({ _id }) => _id);
      if (ids.length === 0) return 0;
      return (await run((orders) => orders.deleteMany({ _id: { $in: ids }, sent: true }))).deletedCount;
    },
  };
}
