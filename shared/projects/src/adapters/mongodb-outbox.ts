import { freeAt } from '@hindsight/stores/leases.ts';
import type { MongoStore } from '@hindsight/stores/mongodb.ts';
import type { Collection } from 'mongodb';
import type { Claim, Outbox, OutboxEntry } from '../store.ts';
import { PROJECTS, type ProjectDocument } from './mongodb-document.ts';

type Projects = Collection<ProjectDocument>;

/** The outbox of projects in MongoDB: a part of each project's document. */
export function createMongodbOutbox(store: MongoStore): Outbox {
  const projects = store.db.collection<ProjectDocument>(PROJECTS);
  return {
    async claim(claim, limit) {
      const ids = await store.run(() => waiting(projects, claim.now, limit));
      const claimed = await Promise.all(ids.map((id) => store.run(() => claimOne(projects, id, claim))));
      return claimed.flat();
    },
    async markSent(by, sent) {
      const byProject = Map.groupBy(sent, ({ projectId }) => projectId);
      const marks = [...byProject].map(([projectId, entries]) =>
        store.run(() => finish(projects, by, projectId, entries)),
      );
      await Promise.all(marks);
    },
    async release(by, entries) {
      const ids = [...new Set(entries.map(({ projectId }) => projectId))];
      await Promise.all(ids.map((id) => store.run(() => finish(projects, by, id, []))));
    },
  };
}

async function waiting(projects: Projects, now: number, limit: number): Promise<string[]> {
  const found = await projects
    .find({ 'outbox.at': { $gt: 0 }, 'relay.until': freeAt(now) }, { projection: { _id: 1 } })
    .limit(limit)
    .toArray();
  return found.map(({ _id }) => _id);
}

async function claimOne(projects: Projects, id: string, { by, now, until }: Claim): Promise<OutboxEntry[]> {
  const document = await projects.findOneAndUpdate(
    // Another relay may have published everything since we looked; a claim on nothing would hold up what comes next.
    { _id: id, 'outbox.at': { $gt: 0 }, 'relay.until': freeAt(now) },
    { $set: { relay: { by, until } } },
    { returnDocument: 'after', projection: { outbox: 1 } },
  );
  return [...(document?.outbox ?? [])];
}

async function finish(
  projects: Projects,
  by: string,
  projectId: string,
  sent: readonly OutboxEntry[],
): Promise<void> {
  const free = { $set: { relay: { by: '', until: 0 } } };
  const ids = sent.map(({ id }) => id);
  const update = ids.length === 0 ? free : { ...free, $pull: { outbox: { id: { $in: ids } } } };
  await projects.updateOne({ _id: projectId, 'relay.by': by }, update);
}
