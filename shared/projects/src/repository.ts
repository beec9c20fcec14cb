/** Projects and their keys over any store: secrets, conditional changes, and the event of each change. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { OPERATOR, planChangedAt, type Actor, type AuditEntry, type AuditStore } from './audit.ts';
import { createKey, livingKey, livingKeys, revokeKey, rotateKey, updateKey } from './key-changes.ts';
import type { KeyVault, SealedKey } from './key-vault.ts';
import { generateKey } from './key.ts';
import {
  DuplicateKey,
  DuplicateProject,
  KeyNotFound,
  ProjectNotFound,
  type ListedKey,
  type ProjectRepository,
} from './ports.ts';
import type { Project } from './project.ts';
import { defaultKey, oldSecretId, type ProjectKey } from './project-key.ts';
import {
  changeAlerts,
  deleteProject,
  rename,
  setPlan,
  setStatus,
  type Change,
  type KeyRecord,
  type ProjectRecord,
} from './record.ts';
import { resealKeys } from './reseal.ts';
import type { OutboxEntry, ProjectStore } from './store.ts';

interface Deps extends Pick<Platform, 'clock' | 'ids'> {
  readonly store: ProjectStore;
  readonly audit: AuditStore;
  readonly vault: KeyVault;
}

/** Attempts of a change against concurrent changes, with growing pauses. */
const ATTEMPTS = 60;
const MAX_PAUSE_MS = 40;

export function createProjectRepository(deps: Deps): ProjectRepository {
  const { store, audit, vault, clock, ids } = deps;
  const change = changer(deps);
  const seal = (key: string): SealedKey => ({ index: vault.index(key), sealed: vault.seal(key) });
  const open = ({ id, secrets: [current] }: KeyRecord): string => {
    if (current === undefined) throw new KeyNotFound(id);
    return vault.open(current.sealed);
  };
  return {
    async create({ project, key }, by = OPERATOR) {
      const secrets = [{ ...seal(key), expiresAt: null }];
      const keys = [{ ...defaultKey(project.createdAt), revokedAt: null, secrets }];
      const outcome = await store.insert({ project, keys, version: 1 }, entryFor(deps, project, 'created'));
      if (outcome === 'key-taken') throw new DuplicateKey();
      if (outcome === 'project-taken') throw new DuplicateProject();
      await note(deps, by, { projectId: project.id, action: 'created', detail: `plan ${project.plan}` });
    },
    async findByKey(key) {
      const indexes = vault.indexes(key);
      const found = await store.readByKey(indexes);
      for (const key of found?.keys ?? []) {
        const secret = key.secrets.find(({ index }) => indexes.includes(index));
        if (found === null || secret === undefined) continue;
        const { expiresAt: keyExpiresAt } = secret;
        if (keyExpiresAt !== null && keyExpiresAt <= clock.now()) return null;
        return { ...found.project, keyExpiresAt, key: withoutSecrets(key) };
      }
      return null;
    },
    findById: async (id) => (await store.read(id))?.project ?? null,
    planChangedAt: (id, since) => planChangedAt(audit, id, since),
    list: async (limit, after) => (await store.list(limit, after)).map(({ project }) => project),
    async listOwned(ownerId, limit, after) {
      return (await store.listOwned(ownerId, limit, after)).map(({ project }) => project);
    },
    async findDemo() {
      const record = await store.readDemo();
      return record === null
        ? null
        : { project: record.project, key: open(livingKey(record.keys, undefined)) };
    },
    async showKey(id, by = OPERATOR, keyId?) {
      const keys = livingKeys((await store.read(id))?.keys ?? []);
      const key = keys.find((each) => keyId === undefined || each.id === keyId);
      if (key === undefined) return null;
      const detail = key === keys[0] ? null : `key ${key.id}`;
      await note(deps, by, { projectId: id, action: 'key-shown', detail });
      return open(key);
    },
    listKeys: (id) => listKeys(deps, id),
    async createKey(id, choice, by) {
      const secret = generateKey();
      const sealed = seal(secret);
      const keyId = `k${ids.next().replaceAll('-', '').slice(-9)}`;
      let key: ProjectKey | undefined;
      await change(id, by, (record) => {
        const made = createKey(record, { id: keyId, choice, secret: sealed, now: clock.now() });
        key = withoutSecrets(made.next.keys.at(-1)!);
        return made;
      });
      return { key: key!, secret };
    },
    async updateKey(id, keyId, choice, by) {
      await change(id, by, (record) => updateKey(record, { id: keyId, choice, now: clock.now() }));
    },
    async revokeKey(id, keyId, by) {
      await change(id, by, (record) => revokeKey(record, keyId, clock.now()));
    },
    noteKeyUses: (uses) => store.noteKeyUses(uses),
    setPlan: (id, choice, by) => change(id, by, (record) => setPlan(record, choice)),
    rename: (id, name, by) => change(id, by, (record) => rename(record, name)),
    async changeAlerts(id, { detail, store: elsewhere }, by) {
      await change(id, by, (record) => changeAlerts(record, detail), elsewhere);
    },
    suspend: (id, by) => change(id, by, (record) => setStatus(record, 'suspended')),
    resume: (id, by) => change(id, by, (record) => setStatus(record, 'active')),
    async delete(id, by) {
      await change(id, by, (record) => deleteProject(record, clock.now()));
    },
    async rotate(id, { graceMs, keyId, key = generateKey() }, by) {
      const secret = seal(key);
      const project = await change(id, by, (record) =>
        rotateKey(record, { id: keyId, secret, graceMs, now: clock.now() }),
      );
      return { project, key };
    },
    removeExpiredKeys: () => store.removeExpiredKeys(clock.now()),
    resealKeys: (limit, after) => resealKeys(deps, limit, after),
  };
}

/** Latest first. */
function oldEnds({ secrets }: KeyRecord, now: number): number[] {
  return secrets.flatMap(({ expiresAt }) => (expiresAt === null || expiresAt <= now ? [] : [expiresAt]));
}

function withoutSecrets({ secrets: _, revokedAt: __, ...key }: KeyRecord): ProjectKey {
  return key;
}

/** Without a line in the audit log: the last characters reveal too little of a key. */
async function listKeys({ store, vault, clock }: Deps, id: string): Promise<ListedKey[]> {
  const record = await store.read(id);
  if (record === null) return [];
  const keys = record.keys.map((key) => {
    const ends = oldEnds(key, clock.now());
    return { key, ends, oldIds: ends.map((end) => oldSecretId(key.id, end)) };
  });
  const ids = keys.flatMap(({ key, oldIds }) => [key.id, ...oldIds]);
  const uses = new Map((await store.keyUses(id, ids)).map(({ keyId, at }) => [keyId, at]));
  return keys.map(({ key, ends, oldIds }) => {
    const oldUses = oldIds.flatMap((each) => uses.get(each) ?? []);
    return {
      ...withoutSecrets(key),
      last4: lastCharacters(vault, key),
      lastUsedAt: uses.get(key.id) ?? null,
      oldEnds: ends,
      oldUsedAt: oldUses.length === 0 ? null : Math.max(...oldUses),
      revokedAt: key.revokedAt,
    };
  });
}

/** Null if there is no secret, or no given `SECRETS_KEY` opens it: the list is useful all the same. */
function lastCharacters(vault: KeyVault, { secrets: [current] }: KeyRecord): string | null {
  try {
    return current === undefined ? null : vault.open(current.sealed).slice(-4);
  } catch {
    return null;
  }
}

type Noted = Pick<AuditEntry, 'projectId' | 'action' | 'detail'>;

/** Resolves when the entry is in the log. */
function note({ audit, ids, clock }: Deps, { userId, address }: Actor, what: Noted): Promise<void> {
  return audit.append({ id: ids.next(), at: clock.now(), userId, address, ...what });
}

/**
 * Reads, changes and writes back, until no concurrent write interferes. Logged before the first attempt; what another
 * store keeps (`elsewhere`) is written before it too, since the event must find it there.
 */
function changer(deps: Deps) {
  return async (
    id: string,
    by: Actor = OPERATOR,
    make: (record: ProjectRecord) => Change | null,
    elsewhere?: () => Promise<void>,
  ): Promise<Project> => {
    let noted = false;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const record = await deps.store.read(id);
      if (record === null || record.project.status === 'deleted') throw new ProjectNotFound(id);
      const change = make(record);
      if (change === null) return record.project;
      const { kind, detail } = change;
      if (!noted) {
        await note(deps, by, { projectId: id, action: kind, detail });
        await elsewhere?.();
      }
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
