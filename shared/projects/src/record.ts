/** A project as its stores keep it, and the pure functions that change it. */
import type { projectsChanged } from '@hindsight/events/projects-changed.ts';
import { defaultKey, type ProjectKey } from './project-key.ts';
import { planFields, projectName, InvalidProject, type PlanChoice, type Project } from './project.ts';

/** A key's secret as stored: never in plain text. */
export interface StoredKey {
  /** Keyed hash, by which it is found. */
  readonly index: string;
  /** Encrypted, for its owner to be shown. */
  readonly sealed: string;
  /** Unix milliseconds at which it stops working; null for the key's current secret. */
  readonly expiresAt: number | null;
}

export interface KeyRecord extends ProjectKey {
  /** Unix milliseconds; null while it works. A revoked key is kept without secrets, so that its usage has a name. */
  readonly revokedAt: number | null;
  /** The current one first, then the old ones whose grace period has not ended, newest first. */
  readonly secrets: readonly StoredKey[];
}

export interface ProjectRecord {
  readonly project: Project;
  /** Oldest first. */
  readonly keys: readonly KeyRecord[];
  /** Rises with each change. */
  readonly version: number;
}

/** A key without its secrets, as stores keep it. */
export type KeySettings = Omit<KeyRecord, 'secrets'>;

export interface KeySecret extends StoredKey {
  readonly keyId: string;
}

/**
 * Joins the parts that stores keep apart.
 * @param settings undefined for a project that the version before wrote: it has one key
 */
export function keysOf(
  settings: readonly KeySettings[] | undefined,
  secrets: readonly KeySecret[],
  createdAt: number,
): KeyRecord[] {
  const keys = settings ?? [{ ...defaultKey(createdAt), revokedAt: null }];
  return keys.map((key) => ({
    ...key,
    secrets: secrets
      .filter(({ keyId }) => keyId === key.id)
      .map(({ index, sealed, expiresAt }) => ({ index, sealed, expiresAt })),
  }));
}

export function settingsOf(keys: readonly KeyRecord[]): KeySettings[] {
  return keys.map(({ secrets: _, ...settings }) => settings);
}

export function secretsOf(keys: readonly KeyRecord[]): KeySecret[] {
  return keys.flatMap(({ id, secrets }) => secrets.map((secret) => ({ ...secret, keyId: id })));
}

/** Changes of a project, as `projects.changed` names them. */
export type ChangeKind = keyof (typeof projectsChanged)['events'];

/**
 * Changes in the owner's audit log. A new name is not published, because no service keeps a copy of names.
 */
export type NotedChange = ChangeKind | 'renamed';

/** The next state of a record. */
export interface Change {
  readonly kind: NotedChange;
  /** Details for the owner; never a key. */
  readonly detail: string | null;
  readonly next: Omit<ProjectRecord, 'version'>;
}

/** Puts a project on a plan. Null if it is on it already. @throws {InvalidProject} */
export function setPlan({ project, keys }: ProjectRecord, choice: PlanChoice): Change | null {
  const fields = planFields(choice);
  const same =
    fields.plan === project.plan &&
    fields.monthlyLimit === project.monthlyLimit &&
    fields.rate === project.rate;
  const detail = `${project.plan} to ${fields.plan}`;
  return same ? null : { kind: 'plan-changed', detail, next: { project: { ...project, ...fields }, keys } };
}

/** Changes nothing of the record: its event says that another store keeps other alerts now. */
export function changeAlerts({ project, keys }: ProjectRecord, detail: string): Change {
  return { kind: 'alerts-changed', detail, next: { project, keys } };
}

/** Suspends or resumes. Null when nothing changes. */
export function setStatus({ project, keys }: ProjectRecord, status: 'active' | 'suspended'): Change | null {
  if (project.status === status) return null;
  const kind = status === 'suspended' ? 'suspended' : 'resumed';
  return { kind, detail: null, next: { project: { ...project, status }, keys } };
}

/** Gives another name. Null if it has that name already. @throws {InvalidProject} */
export function rename({ project, keys }: ProjectRecord, text: string): Change | null {
  const name = projectName(text);
  // The names themselves stay out of the log: some people write a key there.
  return name === project.name
    ? null
    : { kind: 'renamed', detail: null, next: { project: { ...project, name }, keys } };
}

/** Ends all keys for good. @throws {InvalidProject} for the demo project */
export function deleteProject({ project, keys }: ProjectRecord, now: number): Change {
  if (project.demo) throw new InvalidProject('the demo project cannot be deleted');
  const ended = keys.map((key) => ({ ...key, revokedAt: key.revokedAt ?? now, secrets: [] }));
  return { kind: 'deleted', detail: null, next: { project: { ...project, status: 'deleted' }, keys: ended } };
}
