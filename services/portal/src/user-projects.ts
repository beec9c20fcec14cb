import { createHash } from 'node:crypto';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { ApiError, Fault } from '@hindsight/kernel/errors.ts';
import { readPages } from '@hindsight/kernel/pages.ts';
import type { Actor } from '@hindsight/projects/audit.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { DuplicateProject, type ProjectRepository } from '@hindsight/projects/ports.ts';
import type { Project } from '@hindsight/projects/project.ts';
import { periodOf } from '@hindsight/usage/calendar.ts';

/** Projects that a user can create. An operator can add one more. */
export const MAX_PROJECTS = 5;
/** In a calendar month (UTC), those included that were deleted since: each begins with the whole of its free quota. */
export const MAX_NEW_PROJECTS = 10;

const FIRST_NAME = 'My first project';
const PAGE = 100;

/** A user, and the client address that the audit log names. */
export interface Owner extends Actor {
  readonly userId: string;
  readonly address: string;
}

/** The user has the maximum number of projects; `message` may be shown. */
export class TooManyProjects extends Fault {
  constructor(max: number) {
    super(`You have ${max} projects, the maximum for one account.`);
  }
}

interface Deps extends Pick<Platform, 'clock' | 'ids'> {
  readonly projects: ProjectRepository;
}

export type UserProjects = ReturnType<typeof createUserProjects>;

/** The projects that users own. All methods throw `StoreUnavailable`. */
export function createUserProjects(deps: Deps) {
  const { projects, clock } = deps;

  /** All of them that are not deleted, oldest first. */
  async function list(userId: string): Promise<Project[]> {
    return (await listAll(userId)).filter(isLiving);
  }

  function listAll(userId: string): Promise<Project[]> {
    return Array.fromAsync(readPages(PAGE, (after) => projects.listOwned(userId, PAGE, after)));
  }

  /** Null when a concurrent request has taken the slot. @param all the user's @throws {ApiError} 429 */
  async function createAt(by: Owner, { id, name, all }: { id: string; name: string; all: Project[] }) {
    refuseBeyondMonth(all, clock.now());
    try {
      const request = { id, name, plan: 'free', ownerId: by.userId } as const;
      return (await createProject(deps, request, by)).project;
    } catch (error) {
      if (error instanceof DuplicateProject) return null;
      throw error;
    }
  }

  return {
    list,

    /** Creates a project on the Free plan. @throws {InvalidProject} for an invalid name {TooManyProjects} {ApiError} 429 */
    async create(by: Owner, name: string): Promise<Project> {
      const all = await listAll(by.userId);
      for (let slot = 0; slot < MAX_PROJECTS; slot++) {
        const id = freeId(by.userId, slot, all);
        const isTaken = all.some((project) => project.id === id);
        const created = isTaken ? null : await createAt(by, { id, name, all });
        if (created !== null) return created;
      }
      throw new TooManyProjects(MAX_PROJECTS);
    },

    /** The user's first project. Creates it if there is none: once, however many requests arrive at the same time. */
    async ensureFirst(by: Owner): Promise<Project> {
      const all = await listAll(by.userId);
      const first = all.find(isLiving);
      if (first !== undefined) return first;
      const id = freeId(by.userId, 0, all);
      const created = (await createAt(by, { id, name: FIRST_NAME, all })) ?? (await projects.findById(id));
      if (created === null) throw new Error(`project ${id} disappeared while it was created`);
      return created;
    },

    /** Disables all keys of a user who leaves. The projects stay, suspended, for the operator's records. */
    async suspendAll(by: Owner): Promise<void> {
      for (const { id } of await list(by.userId)) await projects.suspend(id, by);
    },
  };
}

function refuseBeyondMonth(all: readonly Project[], now: number): void {
  const { start, end } = periodOf(now);
  if (all.filter(({ createdAt }) => createdAt >= start).length < MAX_NEW_PROJECTS) return;
  throw new ApiError(
    'attempts_exceeded',
    `You have created ${MAX_NEW_PROJECTS} projects this month, the maximum for one account; deleted ones count.`,
    { headers: { 'retry-after': String(Math.ceil((end - now) / 1_000)) } },
  );
}

function isLiving({ status }: Project): boolean {
  return status !== 'deleted';
}

/**
 * Each user has numbered slots, and a slot's project id follows from user, number, and how many of the slot's projects
 * were deleted. So two forms submitted at once cannot exceed the limit, on any store.
 * @returns the id of the slot's project that is not deleted, be it there or not
 */
function freeId(userId: string, slot: number, all: readonly Project[]): string {
  for (let deleted = 0; ; deleted++) {
    const id = slotId(userId, slot, deleted);
    if (all.find((project) => project.id === id)?.status !== 'deleted') return id;
  }
}

function slotId(userId: string, slot: number, deleted: number): string {
  const again = deleted === 0 ? '' : `, after ${deleted}`;
  const hex = createHash('sha256').update(`project ${slot} of ${userId}${again}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
