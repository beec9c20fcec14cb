/** Thresholds that owners change, as every process that counts hears of them: on every store and bus. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects, type OpenProjects } from '@hindsight/projects/open.ts';
import { relayPending } from '@hindsight/projects/outbox-relay.ts';
import type { AlertStore } from '@hindsight/usage/alerts/ports.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { COUNTING_GROUPS } from '../src/groups.ts';
import { createMetering } from '../src/service.ts';

/** The stores and the bus of an installation. */
export interface AlertPlace {
  readonly dataDir: string;
  readonly mongodbUrl?: string;
  readonly brokers?: readonly string[];
  readonly publishTimeoutMs?: number;
}

const MONTH = '2026-11';
const LIMIT = 1_000_000;
/** It stands still, so that nothing that is remembered ends by itself. */
const CLOCK = { now: () => Date.UTC(2026, 10, 21, 12) };
/** Enough for each process to have some, however the partitions are shared. */
const LANES = Array.from(
  { length: 60 },
  (_, at) => `f81d4fae-7dec-4d0a-a765-0000000000${String(at).padStart(2, '0')}`,
);
const logger = createLogger({ name: 'test', level: 'silent' });

/** The cases. @param place one of which nothing else knows, known once the suite begins */
export function describeChangedAlerts(name: string, place: () => AlertPlace): void {
  const lifecycles: Lifecycle[] = [];
  /** Projects whose thresholds each process has read, as often as it has. */
  const looks: string[][] = [[], []];
  const heard: { readonly projectId: string; readonly threshold: number }[] = [];
  let bus: Bus;
  let usage: UsageStore;
  let alerts: AlertStore;
  let opened: OpenProjects;
  let id: string;
  let sequence = 0;

  beforeAll(async () => {
    const own = platform();
    ({ bus } = await openBus(place(), own));
    ({ usage, alerts } = await openUsage(place(), own.lifecycle));
    opened = await openProjects({ ...place(), secret: 'a secret of the test' }, own);
    await bus.subscribe({ group: 'test', topics: ['usage.threshold'] }, async (events) => {
      heard.push(...events.map(({ data }) => data));
    });
    for (const looked of looks) {
      const deps = platform();
      const joined = await openBus(place(), deps);
      const counting = await openUsage(place(), deps.lifecycle);
      const thresholdsOf = (project: string) => {
        looked.push(project);
        return counting.alerts.thresholdsOf(project);
      };
      const alerting = { projects: opened.projects, alerts: { ...counting.alerts, thresholdsOf } };
      createMetering({ ...deps, bus: joined.bus, usage: counting.usage, alerting });
    }
  });
  beforeEach(async () => {
    const limits = { plan: 'enterprise', monthlyLimit: LIMIT, rate: 10 } as const;
    const deps = { projects: opened.projects, clock: CLOCK, ids: randomIds };
    ({ id } = (await createProject(deps, { name: 'Ada', ...limits })).project);
    // The first process to join has all partitions until it shares them. A process that hears of a change meanwhile
    // looks again, and remembers only then.
    await until('both remember the thresholds', async () => {
      const before = looksOf();
      await spend(1);
      return before.every((count) => count > 0) && looksOf().join() === before.join();
    });
    await spend((LIMIT * 0.6) / LANES.length);
  });
  afterAll(async () => {
    for (const lifecycle of lifecycles.reverse()) await lifecycle.shutdown('end of test');
  });

  function platform() {
    const lifecycle = createLifecycle(logger);
    lifecycles.push(lifecycle);
    return { logger, clock: CLOCK, ids: randomIds, lifecycle };
  }

  const looksOf = (): number[] => looks.map((looked) => looked.filter((project) => project === id).length);
  const reached = (): number[] =>
    heard.flatMap(({ projectId, threshold }) => (projectId === id ? [threshold] : []));

  /** By each lane; resolves when all is counted and nothing more is under way. */
  async function spend(units: number): Promise<void> {
    const { group, topic } = COUNTING_GROUPS.usage;
    const entry = { projectId: id, day: `${MONTH}-21`, endpoint: 'token', requests: units };
    const { requests: before } = await usage.read(id, MONTH);
    await bus.publish(
      topic,
      LANES.map((lane) => ({
        type: 'usage-recorded',
        id: `${lane}:${sequence}`,
        source: `/gateway/${lane}`,
        time: CLOCK.now(),
        sequence,
        data: { lane, entries: [entry] },
      })),
    );
    await until('all is counted', async () => {
      // A broker on a busy machine may not answer in time.
      const progress = await bus.progress(group, topic).catch(() => null);
      return progress?.every(({ waiting }) => waiting === 0) ?? false;
    });
    sequence++;
    expect((await usage.read(id, MONTH)).requests).toBe(before + units * LANES.length);
  }

  async function change(thresholds: readonly number[]): Promise<void> {
    const store = () => alerts.setThresholds(id, thresholds);
    await opened.projects.changeAlerts(id, { detail: 'changed', store });
    const relay = { outbox: opened.outbox, bus, clock: CLOCK, relayId: 'test' };
    expect(await relayPending(relay)).toBeGreaterThan(0);
  }

  describe(`a changed threshold on ${name}`, () => {
    it('that usage is past already is reached at once, without a further request', async () => {
      await change([50]);
      await until('it is published', () => reached().length > 0);
      expect(reached()).toEqual([50]);
    });

    it('is known to every process, whichever counts the request that reaches it', async () => {
      const before = looksOf();
      await change([90]);
      await until('both have looked again', () => looksOf().every((count, at) => count > before[at]!));
      await spend((LIMIT * 0.36) / LANES.length);
      await until('it is published', () => reached().length > 0);
      expect(reached()).toEqual([90]);
    });
  });
}
