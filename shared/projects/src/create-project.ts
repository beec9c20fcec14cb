import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import { generateKey } from './key.ts';
import { OPERATOR, type Actor } from './audit.ts';
import { DuplicateProject, type ProjectRepository, type ProjectWithKey } from './ports.ts';
import { DEMO_PROJECT_ID, planFields, projectName, type PlanChoice, type Project } from './project.ts';

interface Parts {
  readonly projects: ProjectRepository;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What is asked for; the limits are for the enterprise plan only. */
export interface ProjectRequest extends PlanChoice {
  readonly name: string;
  /** Another than a new one: for a place that only one project may take. */
  readonly id?: string;
  /** The portal's user whose it shall be; nobody's when not given. */
  readonly ownerId?: string;
}

/** Creates a project with a new key. @throws {InvalidProject} {DuplicateProject} when its id was given and is taken */
export async function createProject(
  { projects, clock, ids }: Parts,
  request: ProjectRequest,
  by: Actor = OPERATOR,
): Promise<ProjectWithKey> {
  const project: Project = {
    id: request.id ?? ids.next(),
    name: projectName(request.name),
    ownerId: request.ownerId ?? null,
    ...planFields(request),
    demo: false,
    status: 'active',
    createdAt: clock.now(),
  };
  const created = { project, key: generateKey() };
  await projects.create(created, by);
  return created;
}

/**
 * The demo project with its public key: made at the first start, the same ever after, whichever of several processes
 * comes first. A key that the operator sets wins over the stored one, which ends at once.
 * @param key `DEMO_KEY`, where the operator sets it
 * @throws {DuplicateKey} when that key is another project's
 */
export async function ensureDemoProject(parts: Parts, key?: string): Promise<ProjectWithKey> {
  const demo = (await parts.projects.findDemo()) ?? (await createDemo(parts, key));
  if (key === undefined || key === demo.key) return demo;
  return parts.projects.rotate(demo.project.id, { graceMs: 0, key });
}

async function createDemo({ projects, clock }: Parts, key = generateKey()): Promise<ProjectWithKey> {
  const project: Project = {
    id: DEMO_PROJECT_ID,
    name: 'Demo',
    ownerId: null,
    ...planFields({ plan: 'free' }),
    demo: true,
    status: 'active',
    createdAt: clock.now(),
  };
  const created = { project, key };
  try {
    await projects.create(created);
    return created;
  } catch (error) {
    if (!(error instanceof DuplicateProject)) throw error;
    const other = await projects.findDemo();
    if (other === null) throw error;
    return other;
  }
}
