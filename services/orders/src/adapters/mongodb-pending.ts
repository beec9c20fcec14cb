import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { isWritten } from '@hindsight/stores/mongodb-errors.ts';
import type { Collection } from 'mongodb';
import type { PendingOrder, PendingOrders } from '../ports.ts';
import { plain, PENDING, type PendingDocument } from './mongodb-documents.ts';

type PendingCollection = Collection<PendingDocument>;

/** Pending orders in MongoDB. */
export function createMongodbPending(store: MongoStore): PendingOrders {
  const run = <T>(work: (pending: PendingCollection) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<PendingDocument>(PENDING)));
  return {
    async add({ claim, digest, attempts, ...record }, dueAt) {
      const document = { _id: claim, dueAt, attempts, digest, record: plain(record) };
      const write = run((pending) => pending.insertOne(document));
      return (await isWritten(write)) ? 'stored' : 'duplicate';
    },
    async takeDue(now, until, limit) {
      const taken: PendingOrder[] = [];
      for (let i = 0; i < limit; i++) {
        const document = await run((pending) => takeOne(pending, now, until));
        if (document === null) break;
        const { _id: claim, digest, attempts, record } = document;
        taken.push({ ...record, claim, digest, attempts });
      }
      return taken;
    },
    postpone: (claim, dueAt) =>
      run(async (pending) => void (await pending.updateOne({ _id: claim }, { $set: { dueAt } }))),
    remove: (claim) => run(async (pending) => void (await pending.deleteOne({ _id: claim }))),
  };
}

function takeOne(pending: PendingCollection, now: number, until: number): Promise<PendingDocument | null> {
  return pending.findOneAndUpdate(
    { dueAt: { $lte: now } },
    { $set: { dueAt: until }, $inc: { attempts: 1 } },
    { sort: { dueAt: 1 }, returnDocument: 'after' },
  );
}
