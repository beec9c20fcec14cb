/** Projects and their keys over any store: secrets, conditional changes, and the event of each change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import { OPERATOR, type Actor, type AuditAction, type AuditStore } from './audit.ts';
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
import { rename, rotateKey, setPlan, setStatus, type Change, type ProjectRecord } from './record.ts';
import { resealKeys } from './reseal.ts';
import type { OutboxEntry, ProjectStore } from './store.ts';

interface Deps {
  readonly store: ProjectStore;
  readonly audit: AuditStore;
  readonly vault: KeyVault;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How often a change is attempted against concurrent changes, with growing pauses. */
const ATTEMPTS = 60;
const MAX_PAUSE_MS = 40;

/** The repository over a store. */
export function createProjectRepository(deps: Deps): ProjectRepository {
  const { store, vault, clock } = deps;
  const change = createChanger(deps);
  const withKey = ({ project, keys }: ProjectRecord): ProjectWithKey => ({
    project,
    key: vault.open(keys[0].sealed),
  });
  return {
    create: (created, by = OPERATOR) => create(deps, created, by),
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
    async listOwned(ownerId, limit, after) {
      return (await store.listOwned(ownerId, limit, after)).map(({ project }) => project);
    },
    oldKeyEnds: async (id) => endsOf(await store.read(id), clock.now()),
    async findDemo() {
      const record = await store.readDemo();
      return record === null ? null : withKey(record);
    },
    async showKey(id, by = OPERATOR) {
      const record = await store.read(id);
      if (record === null) return null;
      await note(deps, by, { projectId: id, action: 'key-shown', detail: null });
      return withKey(record).key;
    },
    setPlan: (id, choice, by) => change(id, by, (record) => setPlan(record, choice)),
    rename: (id, name, by) => change(id, by, (record) => rename(record, name)),
    suspend: (id, by) => change(id, by, (record) => setStatus(record, 'suspended')),
    resume: (id, by) => change(id, by, (record) => setStatus(record, 'active')),
    rotate: (id, rotation, by) => rotate(deps, change, { id, rotation, by }),
    removeExpiredKeys: () => store.removeExpiredKeys(clock.now()),
    resealKeys: (limit, after) => resealKeys(deps, limit, after),
  };
}

/** Latest first. */
function endsOf(record: ProjectRecord | null, now: number): number[] {
  const ends = (record?.keys ?? []).flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return ends.filter((end) => end > now).sort((a, b) => b - a);
}

async function create(deps: Deps, { project, key }: ProjectWithKey, by: Actor): Promise<void> {
  const { store, vault } = deps;
  const stored = { index: vault.index(key), sealed: vault.seal(key), expiresAt: null };
  const record: ProjectRecord = { project, keys: [stored], version: 1 };
  const outcome = await store.insert(record, entryFor(deps, project, 'created'));
  if (outcome === 'key-taken') throw new DuplicateKey();
  if (outcome === 'project-taken') throw new DuplicateProject();
  await note(deps, by, { projectId: project.id, action: 'created', detail: `plan ${project.plan}` });
}

interface Noted {
  readonly projectId: string;
  readonly action: AuditAction;
  readonly detail: string | null;
}

/** Resolves when the entry is in the log. */
function note({ audit, ids, clock }: Deps, { userId, address }: Actor, what: Noted): Promise<void> {
  return audit.append({ id: ids.next(), at: clock.now(), userId, address, ...what });
}

interface RotationOrder {
  readonly id: string;
  readonly rotation: KeyRotation;
  readonly by: Actor | undefined;
}

async function rotate(
  { vault, clock }: Deps,
  change: Changer,
  { id, rotation: { graceMs, key = generateKey() }, by }: RotationOrder,
): Promise<ProjectWithKey> {
  const sealed = { index: vault.index(key), sealed: vault.seal(key) };
  const project = await change(id, by, (record) =>
    rotateKey(record, { key: sealed, graceMs, now: clock.now() }),
  );
  return { project, key };
}

type Changer = (
  id: string,
  by: Actor | undefined,
  make: (record: ProjectRecord) => Change | null,
) => Promise<Project>;

/** Reads, changes and writes back, until no concurrent write interferes. Logged before the first attempt. */
function createChanger(deps: Deps): Changer {
  return async (id, by = OPERATOR, make) => {
    let noted = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const record = await deps.store.read(id);
      if (record === null) throw new ProjectNotFound(id);
      const change = make(record);
      if (change === null) return record.project;
      const { kind, detail } = change;
      if (!noted) await note(deps, by, { projectId: id, action: kind, detail });
      noted = true;
      const entry = kind === 'renamed' ? null : entryFor(deps, record.project, kind);
      const outcome = await deps.store.replace({ ...change.next, version: record.version }, entry);
      if (outcome === 'replaced') return change.next.project;
      if (outcome === 'key-taken') throw new DuplicateKey();
      await sleep(Math.random() * Math.min(attempt * 2, MAX_PAUSE_MS));
    }
    throw new Error(`project ${id} has too many concurrent changes`);
  };
}

function entryFor({ ids, clock }: Deps, project: Project, change: OutboxEntry['change']): OutboxEntry {
  return { id: ids.next(), projectId: project.id, change, at: clock.now() };
}
