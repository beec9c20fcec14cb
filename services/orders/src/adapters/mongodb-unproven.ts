import type { MongoStore } from '@hindsight/shared/stores/mongodb.ts';
import { isDuplicate } from '@hindsight/shared/stores/mongodb-errors.ts';
import type { Collection } from 'mongodb';
import type { UnprovenOrder, UnprovenOrders } from '../ports.ts';
import { plain, UNPROVEN, type UnprovenDocument } from './mongodb-documents.ts';

type Unproven = Collection<UnprovenDocument>;

/** Unproven orders in MongoDB. */
export function createMongodbUnproven(store: MongoStore): UnprovenOrders {
  const run = <T>(work: (unproven: Unproven) => Promise<T>): Promise<T> =>
    store.run((db) => work(db.collection<UnprovenDocument>(UNPROVEN)));
  return {
    async add({ claim, digest, attempts, ...record }, dueAt) {
      try {
        await run((unproven) =>
          unproven.insertOne({ _id: claim, dueAt, attempts, digest, record: plain(record) }),
        );
        return 'stored';
      } catch (error) {
        if (isDuplicate(error)) return 'duplicate';
        throw error;
      }
    },
    async takeDue(now, until, limit) {
      const taken: UnprovenOrder[] = [];
      for (let i = 0; i < limit; i++) {
        const document = await run((unproven) => takeOne(unproven, now, until));
        if (document === null) break;
        const { _id: claim, digest, attempts, record } = document;
        taken.push({ ...record, claim, digest, attempts });
      }
      return taken;
    },
    postpone: (claim, dueAt) =>
      run(async (unproven) => void (await unproven.updateOne({ _id: claim }, { $set: { dueAt } }))),
    remove: (claim) => run(async (unproven) => void (await unproven.deleteOne({ _id: claim }))),
  };
}

function takeOne(unproven: Unproven, now: number, until: number): Promise<UnprovenDocument | null> {
  return unproven.findOneAndUpdate(
    { dueAt: { $lte: now } },
    { $set: { dueAt: until }, $inc: { attempts: 1 } },
    { sort: { dueAt: 1 }, returnDocument: 'after' },
  );
}
