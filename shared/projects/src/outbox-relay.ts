/** Publishes what the outbox of projects holds: at least once, in the order of each project's changes. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { EventOf } from '@hindsight/events/topic.ts';
import type { projectsChanged } from '@hindsight/events/projects-changed.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Outbox, OutboxEntry } from './store.ts';

export type ProjectChanged = EventOf<typeof projectsChanged>;

/** The part of the event bus that a relay needs. */
export interface ChangePublisher {
  publish(topic: 'projects.changed', events: readonly ProjectChanged[]): Promise<void>;
}

interface Deps {
  readonly outbox: Outbox;
  readonly bus: ChangePublisher;
  readonly clock: Clock;
  /** Unique among all relays of an installation. */
  readonly relayId: string;
}

interface JobDeps extends Deps {
  readonly logger: Logger;
  /** Milliseconds between looks at the outbox. */
  readonly lookEveryMs?: number | undefined;
}

/** A gateway must hear of a change within a second. */
const LOOK_EVERY_MS = 200;
/** Longer than a publish may take. The entries that a killed relay had claimed are held up for this long. */
const CLAIM_MS = 35_000;
const PROJECTS_A_PASS = 100;
/** The same in every relay: CloudEvents identifies an event by source and id. */
const SOURCE = 'hindsight/projects';

/** Publishes several times a second, from `start` to `stop`: one of any number of relays over the same outbox. */
export function createRelay({ lookEveryMs = LOOK_EVERY_MS, ...deps }: JobDeps): Job {
  return new Job({
    name: 'relay of project changes',
    work: async () => (await relayBatch(deps)) > 0,
    everyMs: lookEveryMs,
    logger: deps.logger,
  });
}

/** Publishes what waits now and no other relay has claimed. @returns the number of events @throws what the bus or the store throws */
export async function relayPending(deps: Deps): Promise<number> {
  let published = 0;
  for (;;) {
    const count = await relayBatch(deps);
    if (count === 0) return published;
    published += count;
  }
}

async function relayBatch({ outbox, bus, clock, relayId }: Deps): Promise<number> {
  const now = clock.now();
  const entries = await outbox.claim({ by: relayId, now, until: now + CLAIM_MS }, PROJECTS_A_PASS);
  if (entries.length === 0) return 0;
  try {
    await bus.publish('projects.changed', entries.map(toEvent));
  } catch (error) {
    // If this fails too, the claim expires by itself.
    await outbox.release(relayId, entries).catch(() => undefined);
    throw error;
  }
  await outbox.markSent(relayId, entries);
  return entries.length;
}

function toEvent({ id, projectId, change, at }: OutboxEntry): ProjectChanged {
  const data = { projectId, change, at: new Date(at).toISOString() };
  // The type and the data's own word are the same; the compiler does not see a union through a variable.
  return { id, type: change, source: SOURCE, time: at, data } as ProjectChanged;
}
