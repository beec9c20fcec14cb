import type { CollectionIndexes } from '@hindsight/stores/mongodb.ts';
import type { Project } from '../project.ts';
import type { ProjectRecord, StoredKey } from '../record.ts';
import type { OutboxEntry } from '../store.ts';

/** A project, its keys and its unpublished events as one document, so that one update changes all of them or none. */
export interface ProjectDocument extends Omit<Project, 'id' | 'ownerId'> {
  readonly _id: string;
  /** Missing in documents from before there were owners. */
  readonly ownerId?: string | null;
  readonly keys: ProjectRecord['keys'];
  readonly version: number;
  readonly outbox: readonly OutboxEntry[];
  /** Which relay publishes the outbox, and until when; `until` is 0 when none does. */
  readonly relay: { readonly by: string; readonly until: number };
}

/** The collection of projects. */
export const PROJECTS = 'projects';

/** The indexes of the queries in `mongodb.ts` and `mongodb-outbox.ts`. Its fixed id keeps the demo project unique. */
export const PROJECT_INDEXES: readonly CollectionIndexes[] = [
  {
    collection: PROJECTS,
    indexes: [
      { name: 'key', key: { 'keys.index': 1 }, unique: true },
      { name: 'creation', key: { createdAt: 1, _id: 1 } },
      { name: 'owner', key: { ownerId: 1, createdAt: 1, _id: 1 } },
      { name: 'key-end', key: { 'keys.expiresAt': 1 } },
      { name: 'outbox', key: { 'outbox.at': 1 } },
    ],
  },
];

/** The fields that a change may touch. */
export function changedFields({
  project,
  keys,
}: ProjectRecord): Pick<ProjectDocument, 'name' | 'plan' | 'monthlyLimit' | 'rate' | 'status' | 'keys'> {
  const { name, plan, monthlyLimit, rate, status } = project;
  return { name, plan, monthlyLimit, rate, status, keys };
}

/** A new project's document. */
export function toDocument(record: ProjectRecord, entry: OutboxEntry): ProjectDocument {
  const { id, ownerId, demo, createdAt } = record.project;
  return {
    _id: id,
    ...changedFields(record),
    ownerId,
    demo,
    createdAt,
    version: record.version,
    outbox: [entry],
    relay: { by: '', until: 0 },
  };
}

/** The record of a document. */
export function toRecord(document: ProjectDocument): ProjectRecord {
  const {
    _id: id,
    name,
    ownerId = null,
    plan,
    monthlyLimit,
    rate,
    demo,
    status,
    createdAt,
    version,
  } = document;
  const [current, ...old] = document.keys.map(toKey);
  if (current === undefined) throw new Error(`project ${id} has no key`);
  return {
    project: { id, name, ownerId, plan, monthlyLimit, rate, demo, status, createdAt },
    keys: [current, ...old],
    version,
  };
}

function toKey({ index, sealed, expiresAt }: StoredKey): StoredKey {
  return { index, sealed, expiresAt };
}
