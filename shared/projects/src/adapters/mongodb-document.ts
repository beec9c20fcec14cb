import type { CollectionIndexes } from '@hindsight/stores/mongodb-indexes.ts';
import type { Project } from '../project.ts';
import { DEFAULT_KEY_ID } from '../project-key.ts';
import {
  keysOf,
  secretsOf,
  settingsOf,
  type KeySecret,
  type KeySettings,
  type ProjectRecord,
} from '../record.ts';
import type { OutboxEntry } from '../store.ts';

/** A project, its keys and its unpublished events as one document, so that one update changes all of them or none. */
export interface ProjectDocument extends Omit<Project, 'id' | 'ownerId'> {
  readonly _id: string;
  /** Missing in documents from before there were owners. */
  readonly ownerId?: string | null;
  /** The secrets. */
  readonly keys: readonly StoredSecret[];
  /** The keys that they belong to. Missing in documents from before a project could have several. */
  readonly keySettings?: readonly KeySettings[];
  readonly version: number;
  readonly outbox: readonly OutboxEntry[];
  /** The relay that publishes the outbox, and the end of its claim; `until` is 0 when none does. */
  readonly relay: { readonly by: string; readonly until: number };
}

/** A secret; without the id of its key in documents from before a project could have several. */
type StoredSecret = Omit<KeySecret, 'keyId'> & Partial<Pick<KeySecret, 'keyId'>>;

/** When a key was last used; `_id` is the project's id and the key's. */
export interface KeyUseDocument {
  readonly _id: string;
  readonly at: number;
}

export const KEY_USES = 'project_key_uses';

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

export function changedFields({ project, keys }: ProjectRecord) {
  const { id, name, plan, monthlyLimit, rate, status } = project;
  const secrets = secretsOf(keys);
  // A unique index sees the same value for all projects without secrets: they get a value that no key has.
  const stored =
    secrets.length > 0 ? secrets : [{ keyId: '', index: `none:${id}`, sealed: '', expiresAt: null }];
  return { name, plan, monthlyLimit, rate, status, keys: stored, keySettings: settingsOf(keys) };
}

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

export function toRecord(document: ProjectDocument): ProjectRecord {
  const { _id: id, ownerId = null, keys, keySettings, version, outbox: _, relay: __, ...fields } = document;
  const secrets = keys.map(({ keyId = DEFAULT_KEY_ID, ...secret }) => ({ ...secret, keyId }));
  return {
    project: { id, ownerId, ...fields },
    keys: keysOf(keySettings, secrets, fields.createdAt),
    version,
  };
}
