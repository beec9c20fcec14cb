import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { PendingOrder, PendingOrders } from '../ports.ts';
import { plain, PENDING, type PendingDocument } from './mongodb-documents.ts';

export function createMongodbPending(store: MongoStore): PendingOrders {
  const pending = store.db.collection<PendingDocument>(PENDING);
  return {
    async add({ claim, digest, attempts, ...record }, dueAt) {
      const document = { _id: claim, dueAt, attempts, digest, record: plain(record) };
      const write = store.run(() => pending.insertOne(document));
      return (await isWritten(write)) ? 'stored' : 'duplicate';
    },
    async takeDue({ chainIds, own, others }, until, limit) {
      const taken: PendingOrder[] = [];
      const taking = { $set: { dueAt: until }, $inc: { attempts: 1 } };
      const due = {
        dueAt: { $lte: own },
        $or: [{ 'record.payload.chainId': { $in: chainIds } }, { dueAt: { $lte: others } }],
      };
      for (let i = 0; i < limit; i++) {
        const document = await store.run(() =>
          pending.findOneAndUpdate(due, taking, { sort: { dueAt: 1 }, returnDocument: 'after' }),
        );
        if (document === null) break;
        const { _id: claim, digest, attempts, record } = document;
        taken.push({ ...record, claim, digest, attempts });
      }
      return taken;
    },
    postpone: (claim, dueAt) =>
      store.run(async () => void (await pending.updateOne({ _id: claim }, { $set: { dueAt } }))),
    remove: (claim) => store.run(async () => void (await pending.deleteOne({ _id: claim }))),
  };
}
