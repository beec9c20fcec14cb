/** An installation for each contract suite of projects, opened as a service would. */
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { forEachTest } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { createProject } from '../src/create-project.ts';
import { openProjects, type OpenProjects } from '../src/open.ts';
import type { ProjectWithKey } from '../src/ports.ts';
import type { PlanChoice } from '../src/project.ts';

/** A place for projects; each call of `fresh` gives another, empty one. */
export interface ProjectPlaces {
  fresh(): Promise<{ readonly dataDir: string; readonly mongodbUrl?: string }>;
}

/** The secret that an installation opens with by default. */
export const SECRET = 'a secret for tests, long enough';

/** A clock that stands still until it is moved. */
class TestClock {
  time = Date.UTC(2026, 0, 15, 12);
  now(): number {
    return this.time;
  }
}

/** A place with its clock; it can be opened several times, as by several processes. */
export class Installation {
  readonly clock = new TestClock();
  readonly #lifecycle: Lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  readonly settings: Awaited<ReturnType<ProjectPlaces['fresh']>>;

  constructor(settings: Installation['settings']) {
    this.settings = settings;
  }

  get platform() {
    return { clock: this.clock, ids: randomIds, lifecycle: this.#lifecycle };
  }

  open(secrets: { secret?: string; previousSecrets?: string[] } = {}): Promise<OpenProjects> {
    return openProjects({ ...this.settings, secret: SECRET, ...secrets }, this.platform);
  }

  /** Adds a project with a new key. */
  add(
    { projects }: OpenProjects,
    name = 'Ada',
    choice: PlanChoice = { plan: 'free' },
  ): Promise<ProjectWithKey> {
    return createProject({ projects, ...this.platform }, { name, ...choice });
  }

  async close(): Promise<void> {
    await this.#lifecycle.shutdown('end of test');
  }
}

/** An installation on a new place for each test of a `describe`. */
export function eachOnNewPlace(places: ProjectPlaces): { place: Installation; opened: OpenProjects } {
  const place = forEachTest(async () => new Installation(await places.fresh()), 'close');
  return { place, opened: forEachTest(() => place.open()) };
}
