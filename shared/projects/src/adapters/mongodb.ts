import type { Collection, Filter } from 'mongodb';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import { ifDuplicate } from '@hindsight/stores/mongodb-errors.ts';
import { DEMO_PROJECT_ID } from '../project.ts';
import type { ProjectRecord } from '../record.ts';
import type { ListPosition, ProjectStore } from '../store.ts';
import {
  changedFields,
  KEY_USES,
  PROJECTS,
  toDocument,
  toRecord,
  type KeyUseDocument,
  type ProjectDocument,
} from './mongodb-document.ts';

type Projects = Collection<ProjectDocument>;

/** Projects whose expired keys one operation removes; it must end within the limit of an operation. */
const BATCH = 500;

/** Projects in MongoDB, by updates of single documents; its indexes are `PROJECT_INDEXES`. */
export function createMongodbProjects(store: MongoStore): ProjectStore {
  const projects = store.db.collection<ProjectDocument>(PROJECTS);
  const keyUses = store.db.collection<KeyUseDocument>(KEY_USES);
  const one = async (filter: Filter<ProjectDocument>): Promise<ProjectRecord | null> => {
    const document = await store.run(() => projects.findOne(filter));
    return document === null ? null : toRecord(document);
  };
  const page = async (filter: Filter<ProjectDocument>, limit: number): Promise<ProjectRecord[]> => {
    const sorted = await store.run(() =>
      projects.find(filter).sort({ createdAt: 1, _id: 1 }).limit(limit).toArray(),
    );
    return sorted.map(toRecord);
  };
  return {
    insert: (record, entry) =>
      store.run(() => {
        const write = projects.insertOne(toDocument(record, entry)).then(() => 'inserted' as const);
        return ifDuplicate(write, async () => {
          const taken = await projects.findOne({ _id: record.project.id }, { projection: { _id: 1 } });
          return taken === null ? 'key-taken' : 'project-taken';
        });
      }),
    read: (id) => one({ _id: id }),
    readByKey: (indexes) => one({ 'keys.index': { $in: [...indexes] } }),
    readDemo: () => one({ _id: DEMO_PROJECT_ID }),
    list: (limit, after) => page(startingAfter(after), limit),
    listOwned: (ownerId, limit, after) => page({ ownerId, ...startingAfter(after) }, limit),
    replace: (record, entry) =>
      store.run(async () => {
        const write = projects.updateOne(
          { _id: record.project.id, version: record.version },
          {
            $set: changedFields(record),
            $inc: { version: 1 },
            ...(entry === null ? {} : { $push: { outbox: entry } }),
          },
        );
        const written = await ifDuplicate(write, () => null);
        if (written === null) return 'key-taken';
        return written.matchedCount === 1 ? 'replaced' : 'conflict';
      }),
    async removeExpiredKeys(now) {
      let [removed, batch] = [0, BATCH];
      for (; batch === BATCH; removed += batch)
        batch = await store.run(() => removeExpiredKeys(projects, now));
      return removed;
    },
    async noteKeyUses(uses) {
      if (uses.length === 0) return;
      const writes = uses.map(({ projectId, keyId, at }) => ({
        updateOne: { filter: { _id: useId(projectId, keyId) }, update: { $max: { at } }, upsert: true },
      }));
      await store.run(() => keyUses.bulkWrite(writes, { ordered: false }));
    },
    async keyUses(projectId, keyIds) {
      const ids = new Map(keyIds.map((keyId) => [useId(projectId, keyId), keyId]));
      const found = await store.run(() => keyUses.find({ _id: { $in: [...ids.keys()] } }).toArray());
      return found.map(({ _id, at }) => ({ projectId, keyId: ids.get(_id) ?? '', at }));
    },
  };
}

async function removeExpiredKeys(projects: Projects, now: number): Promise<number> {
  const expired = { expiresAt: { $gt: 0, $lte: now } };
  const withExpired = { keys: { $elemMatch: expired } };
  const found = await projects
    .find(withExpired, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  if (found.length === 0) return 0;
  const ids = found.map(({ _id }) => _id);
  const { modifiedCount } = await projects.updateMany({ _id: { $in: ids } }, { $pull: { keys: expired } });
  return modifiedCount;
}

function useId(projectId: string, keyId: string): string {
  return `${projectId}|${keyId}`;
}

function startingAfter(after: ListPosition | undefined): Filter<ProjectDocument> {
  if (after === undefined) return {};
  const { createdAt, id } = after;
  return { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: id } }] };
}
