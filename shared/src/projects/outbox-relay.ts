/** Publishes what the outbox of projects holds: at least once, in the order of each project's changes. */
import type { Clock } from '../clock.ts';
import type { EventOf } from '../events/topic.ts';
import type { projectsChanged } from '../events/projects-changed.ts';
import type { Logger } from '../logger.ts';
import { backoff, pause } from '../waiting.ts';
import type { Outbox, OutboxEntry } from './store.ts';

/** An event of the topic `projects.changed`. */
export type ProjectChanged = EventOf<typeof projectsChanged>;

/** The part of the event bus that a relay needs. */
export interface ChangePublisher {
  publish(topic: 'projects.changed', events: readonly ProjectChanged[]): Promise<void>;
}

interface Parts {
  readonly outbox: Outbox;
  readonly bus: ChangePublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unique among all relays of an installation. */
  readonly relayId: string;
}

/** One of any number of relays over the same outbox; each entry is claimed by one of them at a time. */
export interface OutboxRelay {
  /** Publishes what waits now. Resolves to the number of events. @throws what the bus or the store throws */
  relayPending(): Promise<number>;
  /** Publishes on, looking several times a second, until `stop`. */
  start(): void;
  /** Resolves when the pass that runs has ended. */
  stop(): Promise<void>;
}

/** A gateway must hear of a change within a second. */
const LOOK_EVERY_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** Longer than a publish may take. A relay that was killed holds the entries up for this long that it had claimed. */
const CLAIM_MS = 35_000;
const PROJECTS_A_PASS = 100;
/** The same in every relay: CloudEvents identifies an event by source and id. */
const SOURCE = 'hindsight/projects';

/** Creates a relay, not yet started. */
export function createOutboxRelay(parts: Parts): OutboxRelay {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  return {
    relayPending: () => relayPending(parts),
    start() {
      running = relayUntil(stopping.signal, parts);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function relayPending(parts: Parts): Promise<number> {
  let published = 0;
  for (;;) {
    const count = await pass(parts);
    if (count === 0) return published;
    published += count;
  }
}

async function pass({ outbox, bus, clock, relayId }: Parts): Promise<number> {
  const now = clock.now();
  const entries = await outbox.claim({ by: relayId, now, until: now + CLAIM_MS }, PROJECTS_A_PASS);
  if (entries.length === 0) return 0;
  try {
    await bus.publish('projects.changed', entries.map(toEvent));
  } catch (error) {
    // Should this fail too, the claim ends by itself.
    await outbox.release(relayId, entries).catch(() => undefined);
    throw error;
  }
  await outbox.markSent(relayId, entries);
  return entries.length;
}

async function relayUntil(signal: AbortSignal, parts: Parts): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await relayPending(parts);
      if (failures > 0) parts.logger.info('changes of projects are published again');
      failures = 0;
    } catch (err) {
      failures++;
      if (failures === 1) parts.logger.warn({ err }, 'changes of projects wait: they could not be published');
    }
    await pause(backoff(failures + 1, LOOK_EVERY_MS, LONGEST_PAUSE_MS), signal);
  }
}

function toEvent({ id, projectId, change, at }: OutboxEntry): ProjectChanged {
  const data = { projectId, change, at: new Date(at).toISOString() };
  // The type and the data's own word are the same; the compiler does not see a union through a variable.
  return { id, type: change, source: SOURCE, time: at, data } as ProjectChanged;
}
