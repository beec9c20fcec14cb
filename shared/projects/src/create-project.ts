import { ConfigError } from '@hindsight/kernel/config.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { generateKey } from './key.ts';
import { OPERATOR, type Actor } from './audit.ts';
import { DuplicateKey, DuplicateProject, type ProjectRepository, type ProjectWithKey } from './ports.ts';
import { DEMO_PROJECT_ID, planFields, projectName, type PlanChoice, type Project } from './project.ts';

interface Deps extends Pick<Platform, 'clock' | 'ids'> {
  readonly projects: ProjectRepository;
}

/** A project to be created; the limits are for the enterprise plan only. */
export interface ProjectRequest extends PlanChoice {
  readonly name: string;
  /** A fixed id, for a project that may exist only once; a new one by default. */
  readonly id?: string;
  /** The portal's user who owns it; without an owner if not given. */
  readonly ownerId?: string;
}

/** Creates a project with a new key. @throws {InvalidProject} {DuplicateProject} when its id was given and is taken */
export async function createProject(
  { projects, clock, ids }: Deps,
  request: ProjectRequest,
  by: Actor = OPERATOR,
): Promise<ProjectWithKey> {
  const { id = ids.next(), ownerId = null } = request;
  const project = newProject(clock.now(), request, { id, name: projectName(request.name), ownerId });
  const created = { project, key: generateKey() };
  await projects.create(created, by);
  return created;
}

function newProject(
  createdAt: number,
  choice: PlanChoice,
  own: Pick<Project, 'id' | 'name'> & Partial<Project>,
): Project {
  return { ownerId: null, ...planFields(choice), demo: false, status: 'active', createdAt, ...own };
}

/**
 * The demo project with its public key: created at the first start, by whichever process comes first, and the same ever
 * after. A key that the operator sets wins over the stored one, which ends at once.
 * @param key `DEMO_KEY`, where the operator sets it
 * @throws {ConfigError} when that key is another project's
 */
export async function ensureDemoProject(deps: Deps, key?: string): Promise<ProjectWithKey> {
  try {
    const demo = (await deps.projects.findDemo()) ?? (await createDemo(deps, key));
    if (key === undefined || key === demo.key) return demo;
    return await deps.projects.rotate(demo.project.id, { graceMs: 0, key });
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
    throw new ConfigError([
      'DEMO_KEY is a key of another project: the demo needs one of its own; `project rotate demo` prints one',
    ]);
  }
}

async function createDemo({ projects, clock }: Deps, key = generateKey()): Promise<ProjectWithKey> {
  const own = { id: DEMO_PROJECT_ID, name: 'Demo', demo: true };
  const created = { project: newProject(clock.now(), { plan: 'free' }, own), key };
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
