/** Thresholds: decided from what is counted, published once each, whenever the process is killed. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import type { ProjectRepository } from '@hindsight/projects/ports.ts';
import type { AlertStore } from '@hindsight/usage/alerts/ports.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertRelay } from '../src/jobs/publish-alerts.ts';
import { createMetering } from '../src/service.ts';
import { ThresholdWatch } from '../src/threshold-watch.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const MONTH = '2026-11';
const PRODUCER = 'f81d4fae-7dec-4d0a-a765-00a0c91e6bf6';
const ENTERPRISE = { plan: 'enterprise', monthlyLimit: 100, rate: 10 } as const;

let folder: string;
let lifecycle: Lifecycle;
let bus: Bus;
let usage: UsageStore;
let alerts: AlertStore;
let projects: ProjectRepository;
let id: string;
const clock = { time: NOW, now: () => clock.time };
const logger = createLogger({ name: 'test', level: 'silent' });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-alerts-'));
  clock.time = NOW;
  lifecycle = createLifecycle(logger);
  const deps = { logger, clock, ids: randomIds, lifecycle };
  ({ usage, alerts } = await openUsage({ dataDir: folder }, lifecycle));
  ({ bus } = await openBus({ dataDir: folder }, deps));
  ({ projects } = await openProjects({ dataDir: folder, secret: 'a secret of the test' }, deps));
  const created = await createProject({ projects, ...deps }, { name: 'Ada', ...ENTERPRISE });
  id = created.project.id;
});
afterEach(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

const recorded = (sequence: number, requests: number, day = `${MONTH}-21`) => ({
  type: 'usage-recorded' as const,
  id: `${PRODUCER}:${sequence}`,
  source: `/gateway/${PRODUCER}`,
  time: NOW,
  sequence,
  data: { lane: PRODUCER, entries: [{ projectId: id, day, endpoint: 'token', requests }] },
});

/** The events as a consumer gets them. */
async function listen(): Promise<
  { readonly id: string; readonly threshold: number; readonly limit: number }[]
> {
  const heard: Awaited<ReturnType<typeof listen>> = [];
  await bus.subscribe({ group: 'test', topics: ['usage.threshold'] }, async (events) => {
    for (const { id: event, data } of events) heard.push({ id: event, ...data });
  });
  return heard;
}

describe('a threshold of the monthly limit', () => {
  beforeEach(() => {
    createMetering({ logger, clock, ids: randomIds, lifecycle, usage, bus, alerting: { alerts, projects } });
  });

  it('is published once a month when it is reached, with what was counted and the limit', async () => {
    const heard = await listen();
    await bus.publish('usage.recorded', [recorded(0, 79), recorded(1, 500, '2026-10-30')]);
    await bus.publish('usage.recorded', [recorded(2, 1), recorded(2, 1)]);
    await until('the first is published', () => heard.length > 0);
    await bus.publish('usage.recorded', [recorded(2, 1), recorded(3, 30)]);
    await until('the second is published', () => heard.length > 1);
    await bus.publish('usage.recorded', [recorded(4, 1)]);
    await until('all is counted', async () => (await usage.read(id, MONTH)).requests === 111);
    expect(heard).toMatchObject([
      { id: `${id}:${MONTH}:80`, projectId: id, month: MONTH, threshold: 80, limit: 100 },
      { id: `${id}:${MONTH}:100`, projectId: id, month: MONTH, threshold: 100, limit: 100 },
    ]);
    expect(await alerts.reached({ project: id, month: '2026-10' })).toEqual([]);
  });

  it('is not reached again when the plan changes, and is at once where the new plan makes it so', async () => {
    const heard = await listen();
    await bus.publish('usage.recorded', [recorded(0, 85)]);
    await until('80 is published', () => heard.length === 1);
    await projects.setPlan(id, { ...ENTERPRISE, monthlyLimit: 1_000 });
    await bus.publish('usage.recorded', [recorded(1, 720)]);
    await until('it is counted', async () => (await usage.read(id, MONTH)).requests === 805);
    await projects.setPlan(id, { ...ENTERPRISE, monthlyLimit: 800 });
    const changed = { projectId: id, change: 'plan-changed' as const, at: new Date(NOW).toISOString() };
    const event = { type: 'plan-changed' as const, id: 'change', source: '/test', time: NOW, data: changed };
    await bus.publish('projects.changed', [event]);
    await until('100 is published', () => heard.length >= 2);
    expect(heard.map(({ threshold, limit }) => [threshold, limit])).toEqual([
      [80, 100],
      [100, 800],
    ]);
  });
});

describe('a change of thresholds', () => {
  it('holds although a look that began before it ends after it', async () => {
    const spent = (sequence: number, requests: number) =>
      byRecord([
        {
          producer: 'a',
          sequence,
          entries: [{ project: id, day: `${MONTH}-21`, endpoint: 'token', requests, orders: 0 }],
        },
      ]);
    const [read, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    const slow = async (project: string) => {
      const [thresholds, isHeld] = [await alerts.thresholdsOf(project), isFirst];
      isFirst = false;
      read.resolve();
      if (isHeld) await released.promise;
      return thresholds;
    };
    const deps = { alerts: { ...alerts, thresholdsOf: slow }, projects, clock };
    const watch = new ThresholdWatch({ ...deps, onReached: () => undefined });
    await usage.apply(spent(1, 60));
    const early = watch.check(spent(1, 60));
    await read.promise;
    await alerts.setThresholds(id, [70]);
    await watch.checkAgain(id);
    released.resolve();
    await early;
    await usage.apply(spent(2, 15));
    await watch.check(spent(2, 15));
    expect(await alerts.reached({ project: id, month: MONTH })).toMatchObject([{ threshold: 70 }]);
  });
});

describe('killed before or after any of its steps', () => {
  /** Stops at the step of this number: what came before has happened, what comes after has not. */
  function killedAt(step: number) {
    let steps = 0;
    const die = (): void => {
      if (++steps > step) throw new HandlerUnavailable('killed');
    };
    const mortal = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(of, name) {
          const value: unknown = Reflect.get(of, name);
          if (typeof value !== 'function') return value;
          return async (...args: unknown[]) => {
            die();
            const result: unknown = await Reflect.apply(value, of, args);
            die();
            return result;
          };
        },
      });
    return { mortal, survived: () => steps <= step };
  }

  it('loses no event, and repeats one only with its id', async () => {
    const records = byRecord([
      {
        producer: 'a',
        sequence: 1,
        entries: [{ project: id, day: `${MONTH}-21`, endpoint: 'token', requests: 100, orders: 0 }],
      },
    ]);
    const heard = await listen();
    let ended = false;
    for (let step = 0; !ended; step++) {
      const { mortal, survived } = killedAt(step);
      const mortals = {
        alerts: mortal(alerts),
        projects: mortal(projects),
        bus: mortal({ publish: bus.publish.bind(bus) }),
      };
      const watch = new ThresholdWatch({ ...mortals, clock, onReached: () => undefined });
      try {
        // The events are delivered again until this has come to its end.
        await mortal(usage).apply(records);
        await watch.check(records);
      } catch {
        continue;
      }
      const relay = alertRelay({ ...mortals, clock, logger });
      relay.start();
      relay.nudge();
      await relay.stop();
      ended = survived();
      // The claim of the one that was killed has ended.
      clock.time += 120_000;
    }
    await until('both are heard', () => new Set(heard.map(({ id: event }) => event)).size === 2);
    expect([...new Set(heard.map(({ id: event }) => event))]).toEqual([
      `${id}:${MONTH}:80`,
      `${id}:${MONTH}:100`,
    ]);
    expect(await usage.read(id, MONTH)).toMatchObject({ requests: 100 });
    expect(await alerts.claim({ now: clock.time, until: clock.time }, 10)).toEqual([]);
  });
});
