/** A project as its stores keep it, and the pure functions that change it. */
import { InvalidProject, planFields, projectName, type PlanChoice, type Project } from './project.ts';

/** A key as it is stored: never in the clear. */
export interface StoredKey {
  /** Keyed hash, by which it is found. */
  readonly index: string;
  /** Encrypted, for its owner to be shown. */
  readonly sealed: string;
  /** Unix milliseconds at which it stops working; null for the project's current key. */
  readonly expiresAt: number | null;
}

/** A project with its keys. */
export interface ProjectRecord {
  readonly project: Project;
  /** One current key, first, and the old ones whose grace period has not ended, newest first. */
  readonly keys: readonly [StoredKey, ...StoredKey[]];
  /** Rises with each change. */
  readonly version: number;
}

/** What can happen to a project, as `projects.changed` names it. */
export type ChangeKind = 'created' | 'key-rotated' | 'plan-changed' | 'suspended' | 'resumed';

/** The changes in the owner's audit log. A new name is not published, because no service keeps a copy of names. */
export type NotedChange = ChangeKind | 'renamed';

/** A record as it is to become. */
export interface Change {
  readonly kind: NotedChange;
  /** Details for the owner; never a key. */
  readonly detail: string | null;
  readonly next: Omit<ProjectRecord, 'version'>;
}

/** How many old keys a project can have at a time. */
const MAX_OLD_KEYS = 10;

/** Puts a project on a plan. Null when it is on it already. @throws {InvalidProject} */
export function setPlan({ project, keys }: ProjectRecord, choice: PlanChoice): Change | null {
  const fields = planFields(choice);
  const same =
    fields.plan === project.plan &&
    fields.monthlyLimit === project.monthlyLimit &&
    fields.rate === project.rate;
  const detail = `${project.plan} to ${fields.plan}`;
  return same ? null : { kind: 'plan-changed', detail, next: { project: { ...project, ...fields }, keys } };
}

/** Suspends or resumes. Null when nothing changes. */
export function setStatus({ project, keys }: ProjectRecord, status: Project['status']): Change | null {
  if (project.status === status) return null;
  const kind = status === 'suspended' ? 'suspended' : 'resumed';
  return { kind, detail: null, next: { project: { ...project, status }, keys } };
}

/** Gives another name. Null when it is that already. @throws {InvalidProject} */
export function rename({ project, keys }: ProjectRecord, text: string): Change | null {
  const name = projectName(text);
  // The names themselves stay out of the log: some people write a key there.
  return name === project.name
    ? null
    : { kind: 'renamed', detail: null, next: { project: { ...project, name }, keys } };
}

interface Rotation {
  readonly key: Omit<StoredKey, 'expiresAt'>;
  /** How long the old keys go on working. */
  readonly graceMs: number;
  readonly now: number;
}

/**
 * Gives a project another key. Its old keys, also those of earlier rotations, work until the grace period ends or their
 * own did, whichever comes first; so a rotation without grace leaves the new key only. Null when it is the key already.
 * @throws {InvalidProject} when too many old keys would be left
 */
export function rotateKey({ project, keys }: ProjectRecord, { key, graceMs, now }: Rotation): Change | null {
  if (keys[0].index === key.index) return null;
  const end = now + graceMs;
  const old = keys
    .filter(({ index }) => index !== key.index)
    .map((former) => ({ ...former, expiresAt: Math.min(former.expiresAt ?? end, end) }))
    .filter((former) => former.expiresAt > now);
  if (old.length > MAX_OLD_KEYS) {
    throw new InvalidProject(
      `${MAX_OLD_KEYS} old keys of this project still work: wait for one to end, or rotate without a grace period`,
    );
  }
  const last = old.length === 0 ? null : Math.max(...old.map((former) => former.expiresAt));
  const detail = last === null ? 'no old key works' : `old keys work until ${new Date(last).toISOString()}`;
  return { kind: 'key-rotated', detail, next: { project, keys: [{ ...key, expiresAt: null }, ...old] } };
}
