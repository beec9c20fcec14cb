/** Projects and their keys over any store: secrets, conditional changes, and the event of each change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import type { KeyVault } from './key-vault.ts';
import { generateKey } from './key.ts';
import {
  DuplicateKey,
  DuplicateProject,
  ProjectNotFound,
  type KeyRotation,
  type ProjectRepository,
  type ProjectWithKey,
} from './ports.ts';
import type { Project } from './project.ts';
import { rotateKey, setPlan, setStatus, type Change, type ChangeKind, type ProjectRecord } from './record.ts';
import type { OutboxEntry, ProjectStore } from './store.ts';

interface Parts {
  readonly store: ProjectStore;
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A change is tried this often against changes of others; with pauses up to the longest one. */
const ATTEMPTS = 60;
const LONGEST_PAUSE_MS = 40;

/** The repository over a store. */
export function createProjectRepository(parts: Parts): ProjectRepository {
  const { store, vault, clock } = parts;
  const change = createChanger(parts);
  const withKey = ({ project, keys }: ProjectRecord): ProjectWithKey => ({
    project,
    key: vault.open(keys[0].sealed),
  });
  return {
    create: (created) => create(parts, created),
    async findByKey(key) {
      const indexes = vault.indexes(key);
      const found = await store.readByKey(indexes);
      const expiresAt = found?.keys.find(({ index }) => indexes.includes(index))?.expiresAt;
      if (found === null || expiresAt === undefined) return null;
      if (expiresAt !== null && expiresAt <= clock.now()) return null;
      return { ...found.project, keyExpiresAt: expiresAt };
    },
    findById: async (id) => (await store.read(id))?.project ?? null,
    list: async (limit, after) => (await store.list(limit, after)).map(({ project }) => project),
    async findDemo() {
      const record = await store.readDemo();
      return record === null ? null : withKey(record);
    },
    async showKey(id) {
      const record = await store.read(id);
      return record === null ? null : withKey(record).key;
    },
    setPlan: async (id, choice) => (await change(id, (record) => setPlan(record, choice))).project,
    suspend: async (id) => (await change(id, (record) => setStatus(record, 'suspended'))).project,
    resume: async (id) => (await change(id, (record) => setStatus(record, 'active'))).project,
    rotate: (id, rotation) => rotate(parts, change, id, rotation),
    removeExpiredKeys: () => store.removeExpiredKeys(clock.now()),
  };
}

async function create(parts: Parts, { project, key }: ProjectWithKey): Promise<void> {
  const { store, vault } = parts;
  const stored = { index: vault.index(key), sealed: vault.seal(key), expiresAt: null };
  const record: ProjectRecord = { project, keys: [stored], version: 1 };
  const outcome = await store.insert(record, entryFor(parts, project, 'created'));
  if (outcome === 'key-taken') throw new DuplicateKey();
  if (outcome === 'project-taken') throw new DuplicateProject();
}

async function rotate(
  { vault, clock }: Parts,
  change: Changer,
  id: string,
  { graceMs, key = generateKey() }: KeyRotation,
): Promise<ProjectWithKey> {
  const sealed = { index: vault.index(key), sealed: vault.seal(key) };
  const { project } = await change(id, (record) =>
    rotateKey(record, { key: sealed, graceMs, now: clock.now() }),
  );
  return { project, key };
}

type Changer = (
  id: string,
  make: (record: ProjectRecord) => Change | null,
) => Promise<Pick<ProjectRecord, 'project'>>;

/** Reads, changes and writes back, again and again until nobody else has written in between. */
function createChanger(parts: Parts): Changer {
  return async (id, make) => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const record = await parts.store.read(id);
      if (record === null) throw new ProjectNotFound(id);
      const change = make(record);
      if (change === null) return record;
      const entry = entryFor(parts, record.project, change.kind);
      const outcome = await parts.store.replace({ ...change.next, version: record.version }, entry);
      if (outcome === 'replaced') return change.next;
      if (outcome === 'key-taken') throw new DuplicateKey();
      await sleep(Math.random() * Math.min(attempt * 2, LONGEST_PAUSE_MS));
    }
    throw new Error(`project ${id} is changed by too many others at once`);
  };
}

function entryFor({ ids, clock }: Parts, project: Project, change: ChangeKind): OutboxEntry {
  return { id: ids.next(), projectId: project.id, change, at: clock.now() };
}
