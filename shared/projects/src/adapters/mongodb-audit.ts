import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { AuditEntry, AuditFilter, AuditPosition, AuditStore } from '../audit.ts';

type AuditDocument = Omit<AuditEntry, 'id'> & { readonly _id: string };

const AUDIT = 'project_audit';

export const AUDIT_INDEXES: readonly CollectionIndexes[] = [
  {
    collection: AUDIT,
    indexes: [
      { name: 'project', key: { projectId: 1, at: -1, _id: -1 } },
      { name: 'time', key: { at: 1 } },
    ],
  },
];

/** The audit log of projects in MongoDB; its indexes are `AUDIT_INDEXES`. */
export function createMongodbAudit(store: MongoStore): AuditStore {
  const entries = store.db.collection<AuditDocument>(AUDIT);
  return {
    async append({ id, ...fields }) {
      await store.run(() => entries.insertOne({ _id: id, ...fields }));
    },
    async list(projectId, limit, below, chosen = {}) {
      const filter = { projectId, ...endingBelow(below), ...conditionsOf(chosen) };
      const found = await store.run(() =>
        entries.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray(),
      );
      return found.map(({ _id: id, ...fields }) => ({ id, ...fields }));
    },
    async removeBefore(at, limit) {
      const old = await store.run(() =>
        entries
          .find({ at: { $lt: at } }, { projection: { _id: 1 } })
          .sort({ at: 1 })
          .limit(limit)
          .toArray(),
      );
      const ids = old.map(({ _id }) => _id);
      if (ids.length === 0) return 0;
      return (await store.run(() => entries.deleteMany({ _id: { $in: ids } }))).deletedCount;
    },
  };
}

function endingBelow(below: AuditPosition | undefined) {
  if (below === undefined) return {};
  const { at, id } = below;
  return { $or: [{ at: { $lt: at } }, { at, _id: { $lt: id } }] };
}

function conditionsOf({ action, userId, from, before }: AuditFilter) {
  const at = { ...(from !== undefined && { $gte: from }), ...(before !== undefined && { $lt: before }) };
  return {
    ...(action !== undefined && { action: action as AuditEntry['action'] }),
    ...(userId !== undefined && { userId }),
    ...(Object.keys(at).length > 0 && { at }),
  };
}
