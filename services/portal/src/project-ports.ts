/** What the portal needs of projects, for the user who asks. */
import type { Project } from '@hindsight/shared/projects/project.ts';
import type { UsageReader } from '@hindsight/shared/usage/ports.ts';

/** Projects that a user can make. An operator can give one more. */
export const MOST_PROJECTS = 5;

/** Somebody who asks, and from where. */
export interface Asking {
  readonly userId: string;
  /** The client's IP address. */
  readonly address: string;
}

/** One line of what happened to a project. */
export interface ProjectEvent {
  readonly at: Date;
  readonly action: string;
  /** More of it, such as the plans of a change. */
  readonly detail: string | null;
  /** Null: an operator. */
  readonly userId: string | null;
  readonly address: string | null;
}

/**
 * The projects of users. Whoever asks for a project that is not theirs gets null, as for one that does not exist. Every
 * look at a key and every change stands in the audit log before it happens. All methods throw `StoreUnavailable`.
 */
export interface ProjectsOfUsers {
  /**
   * Makes a project on the plan Free.
   * @throws {InvalidProject} for what cannot be a name {TooManyProjects}
   */
  create(by: Asking, name: string): Promise<Project>;
  /** The user's first project; made when there is none, once, however often this is called at the same time. */
  ensureFirst(by: Asking): Promise<Project>;
  /** All of them, oldest first. */
  list(userId: string): Promise<Project[]>;
  find(userId: string, projectId: string): Promise<Project | null>;
  /** The key in the clear. */
  showKey(by: Asking, projectId: string): Promise<string | null>;
  /** Gives another key; the old ones work for another `graceMs` at most. @throws {InvalidProject} too many of them still work */
  rotate(by: Asking, projectId: string, graceMs: number): Promise<Project | null>;
  /** @throws {InvalidProject} for what cannot be a name */
  rename(by: Asking, projectId: string, name: string): Promise<Project | null>;
  /** Until when the key before the current one works; null when none does, or the project is not theirs. */
  oldKeyUntil(userId: string, projectId: string): Promise<Date | null>;
  /** What happened to a project, newest first. */
  audit(userId: string, projectId: string, limit: number): Promise<ProjectEvent[] | null>;
  /** Ends all keys of a user who leaves: the projects are suspended, and stay for the operator's accounts. */
  suspendAll(by: Asking): Promise<void>;
}

/** The user has as many projects as one may have; `message` is fit to be shown. */
export class TooManyProjects extends Error {
  override readonly name = 'TooManyProjects';

  constructor(most: number) {
    super(`You have ${most} projects, which is as many as an account can have.`);
  }
}

/** What the dashboard stands on. */
export interface ProjectDesk {
  readonly projects: ProjectsOfUsers;
  readonly usage: UsageReader;
}
