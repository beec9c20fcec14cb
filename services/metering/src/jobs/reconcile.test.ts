import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Job } from '@hindsight/kernel/job.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { openMonths } from '@hindsight/usage/reconcile.ts';
import { DatabaseSync } from 'node:sqlite';
import { openJobWorld, type JobWorld } from '../../test/support/job-world.ts';
import { reconcileHourly } from './reconcile.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
let world: JobWorld;
let job: Job;

beforeEach(async () => {
  world = await openJobWorld(Date.UTC(2026, 10, 21, 12));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
  const { seen: usage, clock, logger, telemetry } = world;
  job = reconcileHourly({ usage, clock, logger, telemetry });
  job.start();
});

afterEach(async () => {
  await job.stop();
  jest.useRealTimers();
  await world.close();
});

const NONE = {
  'requests and days': 0,
  'requests and lanes': 0,
  'orders and lanes': 0,
  'taken and held': 0,
  'counted and held': 0,
};
const differences = () => world.gauges('hindsight_usage_differences');
const count = (day: string, sequence: number, requests = 7) => {
  const entries = [{ project: 'p', day, endpoint: 'balance-single', requests, orders: 0 }];
  return world.usage.apply(byRecord([{ producer: 'gateway', sequence, entries }]));
};
/** Corrupts a counter by hand, which no code of the product does. */
const tamper = (sql: string): void => {
  const database = new DatabaseSync(world.file);
  database.exec(sql);
  database.close();
};

it('concerns months of which something may still be counted: for 35 days, and one for clocks', () => {
  expect(openMonths(Date.UTC(2026, 2, 8, 23, 59))).toEqual(['2026-03', '2026-02', '2026-01']);
  expect(openMonths(Date.UTC(2026, 2, 9))).toEqual(['2026-03', '2026-02']);
});

describe('the hourly reconciliation', () => {
  beforeEach(async () => {
    await world.usage.take({
      project: 'p',
      month: '2026-11',
      producer: 'gateway',
      limit: 5_000,
      waiting: [1],
      atHand: 0,
    });
    await count('2026-11-21', 0);
  });

  it('starts after a minute, runs every hour, and finds no differences', async () => {
    await jest.advanceTimersByTimeAsync(MINUTE_MS - 1);
    expect(world.lines()).toEqual([]);
    expect(await differences()).toEqual({});
    await jest.advanceTimersByTimeAsync(1);
    const whole = { level: 'info', msg: 'usage is reconciled', differences: 0, settled: 0, pruned: 0 };
    expect(world.lines()).toEqual([expect.objectContaining({ ...whole, months: ['2026-11', '2026-10'] })]);
    expect(await differences()).toEqual(NONE);
    await jest.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(world.lines()).toEqual([expect.objectContaining(whole), expect.objectContaining(whole)]);
  });

  it('reports counters that differ from their recomputed values, until they agree', async () => {
    tamper('UPDATE usage_month SET requests = requests + 1');
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(world.lines()).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'usage does not add up',
        month: '2026-11',
        differing: 2,
        first: {
          project: 'p',
          month: '2026-11',
          comparison: 'requests and days',
          recorded: 8,
          recomputed: 7,
        },
      }),
      expect.objectContaining({ level: 'info', differences: 2 }),
    ]);
    expect(await differences()).toEqual({ ...NONE, 'requests and days': 1, 'requests and lanes': 1 });
    tamper('UPDATE usage_month SET requests = requests - 1, taken = taken + 3');
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(await differences()).toEqual({ ...NONE, 'taken and held': 1 });
    tamper('UPDATE usage_month SET taken = taken - 3');
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(await differences()).toEqual(NONE);
  });

  it('settles months in which nothing can be counted any more, and frees their outstanding units', async () => {
    const lease = { project: 'p', producer: 'gateway', limit: 5_000, waiting: [1], atHand: 0 };
    for (const month of ['2026-09', '2026-10']) await world.usage.take({ ...lease, month });
    await count('2026-09-30', 1);
    await count('2026-10-30', 1);
    expect(await world.usage.read('p', '2026-09')).toMatchObject({ requests: 7, taken: 50 });
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(world.lines()).toEqual([expect.objectContaining({ level: 'info', settled: 1 })]);
    expect(await world.usage.read('p', '2026-09')).toMatchObject({ requests: 7, taken: 7 });
    expect(await count('2026-09-30', 2)).toMatchObject([{ reason: 'its month is settled' }]);
    expect(await world.usage.read('p', '2026-11')).toMatchObject({ requests: 7, taken: 50 });
    // Nothing else is settled.
    expect(await count('2026-10-31', 3)).toEqual([]);
  });

  it('tries again an hour after the store was unavailable, and logs it', async () => {
    world.unavailable = true;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(world.lines()).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'a job failed; trying again',
        job: 'reconciliation of usage',
      }),
    ]);
    world.unavailable = false;
    await jest.advanceTimersByTimeAsync(HOUR_MS);
    expect(world.lines()).toEqual([
      expect.objectContaining({ level: 'info', differences: 0 }),
      expect.objectContaining({ level: 'info', msg: 'a job works again' }),
    ]);
    await job.stop();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([200, 0])('stops before its next step, after %i settled records', async (settled) => {
    const calls: string[] = [];
    const { clock, logger } = world;
    const other = reconcileHourly({
      usage: {
        ...world.usage,
        audit: async () => [],
        async settle() {
          calls.push('settle');
          void other.stop();
          return settled;
        },
        async tidyProducers() {
          calls.push('tidy');
          return { pruned: 0, forgotten: 0 };
        },
      },
      ...{ clock, logger },
    });
    other.start();
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    await other.stop();
    expect(calls).toEqual(['settle']);
  });

  it('is awaited at shutdown, and stops at the next month', async () => {
    const answer = Promise.withResolvers<undefined>();
    const asked: string[] = [];
    const usage = {
      ...world.usage,
      async audit(month: string) {
        asked.push(month);
        await answer.promise;
        return [];
      },
    };
    const { clock, logger } = world;
    const other = reconcileHourly({ usage, clock, logger });
    other.start();
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(asked).toEqual(['2026-11']);
    let stopped = false;
    const stopping = other.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(stopped).toBe(false);
    answer.resolve(undefined);
    await stopping;
    expect(asked).toEqual(['2026-11']);
  });
});
