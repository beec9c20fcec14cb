import type { Clock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import { generateKey } from './key.ts';
import type { NewProject, ProjectRepository } from './ports.ts';
import type { PlanName, Project } from './project.ts';

interface Parts {
  readonly projects: ProjectRepository;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What is asked for; the limits are for the enterprise plan only. */
export interface ProjectRequest {
  readonly name: string;
  readonly plan: PlanName;
  readonly monthlyLimit?: number;
  readonly rate?: number;
}

/** Creates a project with a new key. */
export async function createProject(
  { projects, clock, ids }: Parts,
  request: ProjectRequest,
): Promise<NewProject> {
  const project: Project = {
    id: ids.next(),
    name: request.name,
    plan: request.plan,
    monthlyLimit: request.monthlyLimit ?? null,
    rate: request.rate ?? null,
    demo: false,
    status: 'active',
    createdAt: clock.now(),
  };
  const created = { project, key: generateKey() };
  await projects.create(created);
  return created;
}

/**
 * The demo project with its public key: made at the first start, the same ever after.
 * @param key `DEMO_KEY`, where the operator sets it
 */
export async function ensureDemoProject({ projects, clock, ids }: Parts, key?: string): Promise<NewProject> {
  const existing = await projects.findDemo();
  if (existing !== null) return existing;
  const project: Project = {
    id: ids.next(),
    name: 'Demo',
    plan: 'free',
    monthlyLimit: null,
    rate: null,
    demo: true,
    status: 'active',
    createdAt: clock.now(),
  };
  const created = { project, key: key ?? generateKey() };
  await projects.create(created);
  return created;
}
