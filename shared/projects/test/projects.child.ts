/**
 * Run by the contract suite as a separate process: changes a project, then dies by SIGKILL at the given
 * moment.
 */
import { appendFileSync } from 'node:fs';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '../src/create-project.ts';
import { openProjects } from '../src/open.ts';
import { relayPending } from '../src/outbox-relay.ts';

/** Instructions of the suite, as JSON in the only argument. */
export interface ChildOrder {
  readonly dataDir: string;
  readonly mongodbUrl?: string;
  readonly secret: string;
  readonly dieAt: 'before relaying' | 'before publishing' | 'after publishing';
  /** Takes the project's id on its first line, then the ids of published events. */
  readonly journal: string;
}

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;
const logger = createLogger({ name: 'child', level: 'silent' });
const platform = { clock: systemClock, ids: randomIds, lifecycle: createLifecycle(logger) };
const die = (): void => void process.kill(process.pid, 'SIGKILL');

const { projects, outbox } = await openProjects(order, platform);
const { project } = await createProject({ projects, ...platform }, { name: 'Victim', plan: 'free' });
await projects.setPlan(project.id, { plan: 'growth' });
await projects.rotate(project.id, { graceMs: 60_000 });
await projects.suspend(project.id);
appendFileSync(order.journal, `${project.id}\n`);
if (order.dieAt === 'before relaying') die();

const bus = {
  async publish(_topic: string, events: readonly { readonly id: string }[]): Promise<void> {
    if (order.dieAt === 'before publishing') die();
    appendFileSync(order.journal, events.map(({ id }) => `${id}\n`).join(''));
    die();
    // SIGKILL is on its way; nothing may happen afterwards.
    await new Promise(() => undefined);
  },
};
await relayPending({ outbox, bus, ...platform, relayId: 'victim' });
