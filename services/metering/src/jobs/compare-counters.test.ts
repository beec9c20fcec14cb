import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { Job } from '@hindsight/kernel/job.ts';
import { openJobWorld, type JobWorld } from '../../test/support/job-world.ts';
import { compareHourly } from './compare-counters.ts';

const HOUR_MS = 3_600_000;
/** Usage of October may still come. */
const MONTHS = ['2026-11', '2026-10'];
let world: JobWorld;
let job: Job;
/** Revisions in the copy; the ledger has 2 of each. */
let copied: number[];
let removed: string[];

beforeEach(async () => {
  world = await openJobWorld(Date.UTC(2026, 10, 21, 12));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
  [copied, removed] = [[2, 2], []];
  const counts = { requests: 1, orders: 0, taken: 1, days: {}, asOf: 1 };
  const { clock, logger, telemetry } = world;
  job = compareHourly({
    ...{ clock, logger, telemetry },
    ledger: {
      // One page; later ones of the sample find none.
      audit: async () =>
        copied.map((_, at) => {
          return { project: `p${at}`, requests: 1, orders: 0, taken: 1, daily: 1, producers: undefined };
        }),
    },
    records: { readMany: async (names) => names.map((name) => ({ ...counts, ...name, revision: 2 })) },
    copy: {
      findMany: async (names) => names.map((name, at) => ({ ...counts, ...name, revision: copied[at] ?? 2 })),
      remove: async ({ project, month }) => void removed.push(`${month} ${project}`),
    },
  });
  job.start();
});
afterEach(async () => {
  await job.stop();
  jest.useRealTimers();
  await world.close();
});

it('compares a sample of each open month every hour, removes what is wrong from the copy, and says so', async () => {
  const gauges = () => world.gauges('hindsight_usage_counters_disagreements');
  expect(await gauges()).toEqual({});
  await jest.advanceTimersByTimeAsync(90_000);
  expect(world.lines()).toMatchObject(
    MONTHS.map((month) => {
      return { level: 'info', msg: 'usage counters in Redis are compared', month, compared: 4, absent: 0 };
    }),
  );
  expect(await gauges()).toEqual({ behind: 0, ahead: 0, different: 0 });
  copied = [2, 3];
  await jest.advanceTimersByTimeAsync(HOUR_MS);
  expect(world.lines()).toMatchObject(
    MONTHS.map((month) => {
      return { level: 'error', month, disagreeing: 2, first: { project: 'p1', month, kind: 'ahead' } };
    }),
  );
  expect(await gauges()).toEqual({ behind: 0, ahead: 4, different: 0 });
  expect(removed).toEqual(MONTHS.flatMap((month) => [`${month} p1`, `${month} p1`]));
});
