import type { Actor } from './audit.ts';
import type { PlanChoice, Project } from './project.ts';
import type { ListPosition } from './store.ts';

/** A project and its current key in the clear. */
export interface ProjectWithKey {
  readonly project: Project;
  readonly key: string;
}

/** A project as found by one of its keys. */
export interface FoundByKey extends Project {
  /** Unix milliseconds at which this very key stops working; null for the current key. */
  readonly keyExpiresAt: number | null;
}

/** What it takes to rotate a key. */
export interface KeyRotation {
  /** Milliseconds for which old keys go on working; 0 ends them all at once. */
  readonly graceMs: number;
  /** The new key, a well-formed one; a random one by default. */
  readonly key?: string;
}

/**
 * Projects and their keys. Every change except that of a name is published as `projects.changed` sooner or later,
 * whatever happens. Every change, and every look at a key, is in the audit log before it takes effect; `by` names the
 * actor, by default the operator.
 * All methods throw `StoreUnavailable` when the store does not answer in time; whether a change took place must then be
 * read. Changes throw `ProjectNotFound` for an unknown id.
 */
export interface ProjectRepository {
  /** Stores a new project. @throws {DuplicateKey} {DuplicateProject} when its id, or the demo's place, is taken */
  create(created: ProjectWithKey, by?: Actor): Promise<void>;
  /** The project that a key belongs to, whatever its status; null for an unknown or expired key. */
  findByKey(key: string): Promise<FoundByKey | null>;
  findById(id: string): Promise<Project | null>;
  /** Up to `limit` projects, oldest first, beginning after one. */
  list(limit: number, after?: ListPosition): Promise<Project[]>;
  /** The same, for the projects of one owner. */
  listOwned(ownerId: string, limit: number, after?: ListPosition): Promise<Project[]>;
  /** The ends of a project's old keys that still work, unix milliseconds, latest first; empty for an unknown project. */
  oldKeyEnds(id: string): Promise<number[]>;
  /** The demo project, null where there is none yet. */
  findDemo(): Promise<ProjectWithKey | null>;
  /** The current key, for its owner to see. Null for an unknown project. */
  showKey(id: string, by?: Actor): Promise<string | null>;
  /** @throws {InvalidProject} when plan and limits do not go together */
  setPlan(id: string, choice: PlanChoice, by?: Actor): Promise<Project>;
  /** @throws {InvalidProject} when it cannot be a name */
  rename(id: string, name: string, by?: Actor): Promise<Project>;
  suspend(id: string, by?: Actor): Promise<Project>;
  resume(id: string, by?: Actor): Promise<Project>;
  /** @throws {DuplicateKey} {InvalidProject} when too many old keys still work */
  rotate(id: string, rotation: KeyRotation, by?: Actor): Promise<ProjectWithKey>;
  /** Forgets old keys whose grace period has ended. Resolves to how many projects had such. */
  removeExpiredKeys(): Promise<number>;
  /**
   * Puts the keys of up to `limit` projects under the current secret, oldest first, beginning after one. What is under it
   * already stays as it is, so it may be interrupted and begun again at any time.
   */
  resealKeys(limit: number, after?: ListPosition): Promise<Resealed>;
}

/** The outcome for a page of projects. */
export interface Resealed {
  /** Ids of those whose keys were put under the current secret. */
  readonly resealed: readonly string[];
  readonly unchanged: number;
  /** Ids of those that no given secret opens. */
  readonly unreadable: readonly string[];
  /** The last one of the page; null where there was none. */
  readonly last: ListPosition | null;
}

/** The key is taken. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';

  constructor() {
    super('the key belongs to a project already');
  }
}

/** A project of this id is there already, or there is a demo project already. */
export class DuplicateProject extends Error {
  override readonly name = 'DuplicateProject';

  constructor() {
    super('the project exists already');
  }
}

/** No project has this id. */
export class ProjectNotFound extends Error {
  override readonly name = 'ProjectNotFound';

  constructor(id: string) {
    super(`there is no project ${JSON.stringify(id.slice(0, 100))}`);
  }
}
