import type { Clock } from '@hindsight/shared/clock.ts';
import type { Ids } from '@hindsight/shared/ids.ts';
import type { AuditLog } from '@hindsight/shared/projects/audit.ts';
import { createProject } from '@hindsight/shared/projects/create-project.ts';
import { DuplicateProject, type ProjectRepository } from '@hindsight/shared/projects/ports.ts';
import type { Project } from '@hindsight/shared/projects/project.ts';
import { createHash } from 'node:crypto';
import { MOST_PROJECTS, TooManyProjects, type Asking, type ProjectsOfUsers } from '../project-ports.ts';

interface Parts {
  readonly projects: ProjectRepository;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly ids: Ids;
}

const FIRST_NAME = 'My first project';
const PAGE = 100;

/** Projects of users over the repository that the gateway reads. */
export function createProjectsOfUsers(parts: Parts): ProjectsOfUsers {
  const { projects, audit } = parts;
  const own = async (userId: string, projectId: string): Promise<Project | null> => {
    const project = await projects.findById(projectId);
    return project?.ownerId === userId ? project : null;
  };
  const onOwn = async <T>(
    userId: string,
    projectId: string,
    work: (id: string) => Promise<T>,
  ): Promise<T | null> => ((await own(userId, projectId)) === null ? null : work(projectId));

  return {
    create: (by, name) => createInFreePlace(parts, by, name),
    ensureFirst: (by) => ensureFirst(parts, by),
    list: (userId) => listAll(projects, userId),
    find: own,
    showKey: (by, id) => onOwn(by.userId, id, () => projects.showKey(id, by)),
    rotate: (by, id, graceMs) =>
      onOwn(by.userId, id, async () => (await projects.rotate(id, { graceMs }, by)).project),
    rename: (by, id, name) => onOwn(by.userId, id, () => projects.rename(id, name, by)),
    oldKeyUntil: (userId, id) =>
      onOwn(userId, id, async () => {
        const [latest] = await projects.oldKeyEnds(id);
        return latest === undefined ? null : new Date(latest);
      }),
    audit: (userId, id, limit) =>
      onOwn(userId, id, async () => {
        const entries = await audit.list(id, limit);
        return entries.map(({ at, action, detail, userId: who, address }) => ({
          ...{ at: new Date(at), action, detail, userId: who, address },
        }));
      }),
    async suspendAll(by) {
      for (const { id } of await listAll(projects, by.userId)) await projects.suspend(id, by);
    },
  };
}

/**
 * A user's places are numbered, and a place's id follows from user and number: of two forms that are sent at once each
 * gets a place of its own or none, on any store.
 */
function placeId(userId: string, place: number): string {
  const hex = createHash('sha256').update(`project ${place} of ${userId}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

async function createInFreePlace(parts: Parts, by: Asking, name: string): Promise<Project> {
  const taken = new Set((await listAll(parts.projects, by.userId)).map(({ id }) => id));
  for (let place = 0; place < MOST_PROJECTS; place++) {
    const id = placeId(by.userId, place);
    const made = taken.has(id) ? null : await createAt(parts, by, id, name);
    if (made !== null) return made;
  }
  throw new TooManyProjects(MOST_PROJECTS);
}

async function ensureFirst(parts: Parts, by: Asking): Promise<Project> {
  const [first] = await parts.projects.listOwned(by.userId, 1);
  if (first !== undefined) return first;
  const id = placeId(by.userId, 0);
  const made = (await createAt(parts, by, id, FIRST_NAME)) ?? (await parts.projects.findById(id));
  if (made === null) throw new Error(`project ${id} was there and is gone`);
  return made;
}

/** Null when somebody has taken the place meanwhile. */
async function createAt(parts: Parts, by: Asking, id: string, name: string): Promise<Project | null> {
  try {
    const request = { id, name, plan: 'free', ownerId: by.userId } as const;
    return (await createProject(parts, request, by)).project;
  } catch (error) {
    if (error instanceof DuplicateProject) return null;
    throw error;
  }
}

async function listAll(projects: ProjectRepository, userId: string): Promise<Project[]> {
  const all: Project[] = [];
  for (;;) {
    const page = await projects.listOwned(userId, PAGE, all.at(-1));
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
