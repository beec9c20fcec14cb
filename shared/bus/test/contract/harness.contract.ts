/**
 * Shared by the bus's contract suites: the log under test, a topic for each case, a consumer that collects.
 */
import { z } from 'zod';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { defineTopic, type EventOf } from '@hindsight/events/topic.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { BusDeps } from '../../src/create-bus.ts';
import type { Bus, Handler, PartitionProgress, ReceivedEvent } from '../../src/port.ts';

/** A topic for one case. */
export function thingsTopic(name: string, partitions: number) {
  return defineTopic({
    name,
    keyMeaning: 'thing',
    keyOf: (data) => data.thing,
    events: {
      seen: z.object({ thing: z.string(), n: z.number(), text: z.string().optional() }),
    },
    partitions,
    retentionMs: 3_600_000,
    guarantee: 'as every topic',
  });
}

export type Things = ReturnType<typeof thingsTopic>;
export type ThingTopics = Readonly<Record<string, Things>>;
export type ThingsBus = Bus<ThingTopics>;
export type Seen = ReceivedEvent<Things>;

/** Location of a log: enough for another process to open it. */
export type Location =
  | { readonly adapter: 'sqlite'; readonly path: string }
  | { readonly adapter: 'kafka'; readonly brokers: string };

/** One log under test. */
export interface BusHarness {
  readonly location: Location;
  /** Opens a bus on the log, as another member. */
  open(options: BusDeps<ThingTopics>): ThingsBus;
  /** Writes a record past the bus, valid or not. */
  writeRaw(topic: string, headers: Record<string, string>, value: string): Promise<void>;
  /** Makes the log refuse the dead letters of a topic until the returned function is called. */
  refuseDeadLetters(topic: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** For suites of what is published, not of how long that may take: a broker on a busy machine makes its topics slowly. */
export const PUBLISHED_WITHIN_MS = 600_000;

/** Options of the suites: few retries; errors show in the assertions, not in the log. */
export function busOptions(topics: readonly Things[]): BusDeps<ThingTopics> {
  return {
    topics: Object.fromEntries(topics.map((topic) => [topic.name, topic])),
    logger: createLogger({ name: 'test', level: 'silent' }),
    clock: systemClock,
    retry: { attempts: 3, firstDelayMs: 20, maxDelayMs: 100 },
    publishTimeoutMs: PUBLISHED_WITHIN_MS,
  };
}

/** The nth event of a thing. */
export function thing(name: string, n: number, text?: string): EventOf<Things> {
  return {
    type: 'seen',
    id: `${name}-${n}`,
    source: '/test',
    time: Date.UTC(2026, 0, 1),
    data: { thing: name, n, ...(text === undefined ? {} : { text }) },
  };
}

/** Collects the events that it receives. */
export interface Collector {
  readonly handler: Handler<Seen>;
  readonly events: Seen[];
  /** Ids in the order of arrival, repetitions left out. */
  ids(): string[];
}

export function collector(): Collector {
  const events: Seen[] = [];
  return {
    events,
    handler: async (batch) => void events.push(...batch),
    ids: () => [...new Set(events.map(({ id }) => id))],
  };
}

/** Waits for this many different events. */
export function untilSeen(seen: Collector, count: number): Promise<void> {
  return until(`${count} events`, () => seen.events.length >= count && seen.ids().length >= count);
}

/** Waits until this many events wait for a group. @returns its position in each partition */
export async function untilWaiting(
  bus: ThingsBus,
  group: string,
  { name }: Things,
  count: number,
): Promise<readonly PartitionProgress[]> {
  let progress: readonly PartitionProgress[] = [];
  await until(`${count} events wait for the group`, async () => {
    // A broker that has just started does not know its groups yet; a busy one may not answer in time.
    progress = await bus.progress(group, name).catch(() => []);
    return progress.length > 0 && progress.reduce((sum, { waiting }) => sum + waiting, 0) === count;
  });
  return progress;
}

/** The things whose events did not first arrive in the order of publication. */
export function outOfOrder(ids: readonly string[]): string[] {
  const last = new Map<string, number>();
  return ids.filter((id) => {
    const at = id.lastIndexOf('-');
    const n = Number(id.slice(at + 1));
    const before = last.get(id.slice(0, at)) ?? -1;
    last.set(id.slice(0, at), Math.max(n, before));
    return n < before;
  });
}
