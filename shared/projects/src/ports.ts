import { Fault } from '@hindsight/kernel/errors.ts';
import type { Actor } from './audit.ts';
import type { PlanChoice, Project } from './project.ts';
import type { KeyChoice, ProjectKey } from './project-key.ts';
import type { KeyUse, ListPosition } from './store.ts';

export interface ProjectWithKey {
  readonly project: Project;
  readonly key: string;
}

export interface FoundByKey extends Project {
  /** Unix milliseconds at which this very key stops working after a rotation; null for the current key. */
  readonly keyExpiresAt: number | null;
  /** Terms of the key. The caller refuses what they forbid, and an expired key. */
  readonly key: ProjectKey;
}

/** A key as its owner sees it. */
export interface ListedKey extends ProjectKey {
  /** The last four characters of its current secret; null if it has none, or it cannot be opened. */
  readonly last4: string | null;
  /** Unix milliseconds of its last use, a minute or two late; null if none is known. */
  readonly lastUsedAt: number | null;
  /** The ends of old secrets that still work, unix milliseconds, latest first. */
  readonly oldEnds: readonly number[];
  /** Unix milliseconds of the last use of such a secret since it is old, a minute or two late; null if none is known. */
  readonly oldUsedAt: number | null;
  /** Unix milliseconds; null while it works. */
  readonly revokedAt: number | null;
}

export interface KeyWithSecret {
  readonly key: ProjectKey;
  readonly secret: string;
}

export interface AlertsChange {
  /** For the audit log. */
  readonly detail: string;
  /** Stores it: once, after the line in the audit log and before the event. */
  readonly store: () => Promise<void>;
}

export interface KeyRotation {
  /** The project's oldest key by default. */
  readonly keyId?: string;
  /** Milliseconds for which old keys still work; 0 ends them all at once. */
  readonly graceMs: number;
  /** The new key, well-formed; a random one by default. */
  readonly key?: string;
}

/**
 * Projects and their keys. Every change except that of a name is published as `projects.changed` sooner or
 * later, even after a crash. Every change, and every look at a key, is in the audit log before it takes
 * effect; `by` names the actor, by default the operator. All methods throw `StoreUnavailable` when the store
 * does not answer in time; read the project to learn whether a change took place. Changes throw
 * `ProjectNotFound` for an unknown id.
 */
export interface ProjectRepository {
  /** Stores a new project. @throws {DuplicateKey} {DuplicateProject} when its id, or the demo's place, is taken */
  create(created: ProjectWithKey, by?: Actor): Promise<void>;
  /** The project that a key belongs to, whatever its status; null for an unknown or revoked key. */
  findByKey(key: string): Promise<FoundByKey | null>;
  findById(id: string): Promise<Project | null>;
  /** Unix milliseconds of the last change of its plan, as far as the audit log goes; null if there was none since then. */
  planChangedAt(id: string, since?: number): Promise<number | null>;
  /** Up to `limit` projects, oldest first, beginning after one. */
  list(limit: number, after?: ListPosition): Promise<Project[]>;
  listOwned(ownerId: string, limit: number, after?: ListPosition): Promise<Project[]>;
  /** The demo project, null where there is none yet. */
  findDemo(): Promise<ProjectWithKey | null>;
  /** A key, by default the project's oldest, for its owner to see. Null for an unknown project or key. */
  showKey(id: string, by?: Actor, keyId?: string): Promise<string | null>;
  /** All keys of a project, oldest first, also revoked ones; empty for an unknown project. */
  listKeys(id: string): Promise<ListedKey[]>;
  /** @throws {InvalidProject} when the choice is not valid, or there are too many keys */
  createKey(id: string, choice: KeyChoice, by?: Actor): Promise<KeyWithSecret>;
  /** @throws {InvalidProject} {KeyNotFound} */
  updateKey(id: string, keyId: string, choice: KeyChoice, by?: Actor): Promise<void>;
  /** Ends a key at once. @throws {InvalidProject} for the only key of a project {KeyNotFound} */
  revokeKey(id: string, keyId: string, by?: Actor): Promise<void>;
  /** Notes when keys were last used; earlier times change nothing. */
  noteKeyUses(uses: readonly KeyUse[]): Promise<void>;
  /** @throws {InvalidProject} when plan and limits do not go together */
  setPlan(id: string, choice: PlanChoice, by?: Actor): Promise<Project>;
  /** @throws {InvalidProject} when the text cannot be a name */
  rename(id: string, name: string, by?: Actor): Promise<Project>;
  /** Changes a project's alerts, which another store keeps. @throws what `store` throws */
  changeAlerts(id: string, change: AlertsChange, by?: Actor): Promise<void>;
  suspend(id: string, by?: Actor): Promise<Project>;
  resume(id: string, by?: Actor): Promise<Project>;
  /**
   * Ends all keys for good. The record stays, as `deleted`, and so do its usage and its audit log; changes throw
   * `ProjectNotFound` from then on. @throws {InvalidProject} for the demo project
   */
  delete(id: string, by?: Actor): Promise<void>;
  /** @throws {DuplicateKey} {KeyNotFound} {InvalidProject} when too many old keys still work */
  rotate(id: string, rotation: KeyRotation, by?: Actor): Promise<ProjectWithKey>;
  /** Removes old keys whose grace period has ended. Resolves to the number of projects that had any. */
  removeExpiredKeys(): Promise<number>;
  /**
   * Reseals the keys of up to `limit` projects under the current secret, oldest first, beginning after one.
   * Keys under it already stay unchanged, so it may be interrupted and begun again at any time.
   */
  resealKeys(limit: number, after?: ListPosition): Promise<Resealed>;
}

export interface Resealed {
  /** Ids of projects whose keys it resealed. */
  readonly resealed: readonly string[];
  readonly unchanged: number;
  /** Ids of those that no given secret opens. */
  readonly unreadable: readonly string[];
  /** The last project of the page; null if the page is empty. */
  readonly last: ListPosition | null;
}

export class DuplicateKey extends Fault {
  constructor() {
    super('the key belongs to a project already');
  }
}

/** There is a project with this id already, or a demo project. */
export class DuplicateProject extends Fault {
  constructor() {
    super('the project exists already');
  }
}

export class ProjectNotFound extends Fault {
  constructor(id: string) {
    super(`there is no project ${JSON.stringify(id.slice(0, 100))}`);
  }
}

/** The project has no working key of this id. */
export class KeyNotFound extends Fault {
  constructor(id: string) {
    super(`the project has no key ${JSON.stringify(id.slice(0, 100))}`);
  }
}
