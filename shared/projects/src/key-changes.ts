import { KeyNotFound } from './ports.ts';
import { InvalidProject } from './project.ts';
import { DEFAULT_KEY_ID, keyTerms, MAX_KEYS, type KeyChoice } from './project-key.ts';
import type { Change, KeyRecord, ProjectRecord, StoredKey } from './record.ts';

/** Most old secrets of a key. */
const MAX_OLD_KEYS = 10;
/** Most revoked keys that are kept for their names. */
const MAX_REVOKED = 100;

/** A secret that works until it is replaced. */
type Secret = Omit<StoredKey, 'expiresAt'>;

/** The keys that are not revoked, oldest first. */
export function livingKeys(keys: readonly KeyRecord[]): KeyRecord[] {
  return keys.filter(({ revokedAt }) => revokedAt === null);
}

/** The key of an id, or the oldest one. @throws {KeyNotFound} when there is none, or it is revoked */
export function livingKey(keys: readonly KeyRecord[], id: string | undefined): KeyRecord {
  const key = livingKeys(keys).find((each) => id === undefined || each.id === id);
  if (key === undefined) throw new KeyNotFound(id ?? DEFAULT_KEY_ID);
  return key;
}

interface NewKey {
  readonly id: string;
  readonly choice: KeyChoice;
  readonly secret: Secret;
  readonly now: number;
}

/** Adds a key. @throws {InvalidProject} when its terms are not valid, or the project has as many as it can have */
export function createKey({ project, keys }: ProjectRecord, { id, choice, secret, now }: NewKey): Change {
  if (livingKeys(keys).length >= MAX_KEYS)
    throw new InvalidProject(`this project has ${MAX_KEYS} keys, the maximum: revoke one first`);
  const terms = keyTerms({ name: '', ...choice }, { project, now });
  const key = { id, createdAt: now, ...terms, revokedAt: null, secrets: [{ ...secret, expiresAt: null }] };
  return { kind: 'key-created', detail: nameOf(id), next: { project, keys: [...keys, key] } };
}

interface KeyUpdate {
  readonly id: string;
  readonly choice: KeyChoice;
  readonly now: number;
}

/** Changes what a key may do. Null when nothing changes. @throws {InvalidProject} {KeyNotFound} */
export function updateKey({ project, keys }: ProjectRecord, { id, choice, now }: KeyUpdate): Change | null {
  const before = livingKey(keys, id);
  const terms = keyTerms(choice, { project, now, before });
  const changed = Object.entries(terms).filter(
    ([term, value]) => JSON.stringify(value) !== JSON.stringify(before[term as keyof typeof terms]),
  );
  if (changed.length === 0) return null;
  // The changed terms without their values: a name is a text that a user has typed.
  const detail = `${nameOf(id)}: ${changed.map(([term]) => TERMS[term as keyof typeof terms]).join(', ')}`;
  return { kind: 'key-changed', detail, next: { project, keys: withKey(keys, { ...before, ...terms }) } };
}

const TERMS: Readonly<Record<keyof ReturnType<typeof keyTerms>, string>> = {
  name: 'name',
  scopes: 'scopes',
  allowedAddresses: 'allowed addresses',
  allowedOrigins: 'allowed origins',
  expiresAt: 'expiry',
  monthlyCap: 'monthly cap',
};

/** Ends a key at once, and its old secrets. @throws {InvalidProject} for the only key {KeyNotFound} */
export function revokeKey({ project, keys }: ProjectRecord, id: string, now: number): Change {
  const key = livingKey(keys, id);
  if (livingKeys(keys).length === 1)
    throw new InvalidProject('this is the only key of the project: create another one first, or rotate it');
  const revoked = withKey(keys, { ...key, revokedAt: now, secrets: [] });
  const forgotten = revoked.filter(({ revokedAt }) => revokedAt !== null).slice(0, -MAX_REVOKED);
  const kept = revoked.filter((each) => !forgotten.includes(each));
  return { kind: 'key-revoked', detail: nameOf(id), next: { project, keys: kept } };
}

interface Rotation {
  /** The project's oldest key if not given. */
  readonly id: string | undefined;
  readonly secret: Secret;
  /** Milliseconds for which the old secrets still work. */
  readonly graceMs: number;
  readonly now: number;
}

/**
 * Gives a key another secret. Old ones, including those of earlier rotations, work until the grace period
 * ends or until their own end, whichever comes first; a rotation without grace leaves only the new one. Null
 * if the secret is the key's already.
 * @throws {InvalidProject} when too many old ones would be left {KeyNotFound}
 */
export function rotateKey({ project, keys }: ProjectRecord, rotation: Rotation): Change | null {
  const { secret, graceMs, now } = rotation;
  const key = livingKey(keys, rotation.id);
  if (key.secrets[0]?.index === secret.index) return null;
  const end = now + graceMs;
  const old = key.secrets
    .filter(({ index }) => index !== secret.index)
    .map((former) => ({ ...former, expiresAt: Math.min(former.expiresAt ?? end, end) }))
    .filter((former) => former.expiresAt > now);
  if (old.length > MAX_OLD_KEYS) {
    throw new InvalidProject(
      `${MAX_OLD_KEYS} old keys of this project still work: wait for one to end, or rotate without a grace period`,
    );
  }
  const last = old.length === 0 ? null : Math.max(...old.map((former) => former.expiresAt));
  const detail = last === null ? 'no old key works' : `old keys work until ${new Date(last).toISOString()}`;
  const rotated = { ...key, secrets: [{ ...secret, expiresAt: null }, ...old] };
  return {
    kind: 'key-rotated',
    detail: key.id === DEFAULT_KEY_ID ? detail : `${nameOf(key.id)}: ${detail}`,
    next: { project, keys: withKey(keys, rotated) },
  };
}

/** A key's name in the audit log: its id, because a user has typed its name. */
function nameOf(id: string): string {
  return `key ${id}`;
}

function withKey(keys: readonly KeyRecord[], changed: KeyRecord): KeyRecord[] {
  return keys.map((key) => (key.id === changed.id ? changed : key));
}
