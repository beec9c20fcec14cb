import { HOUR_MS } from './durations.ts';
import { afterEach, expect, it, jest } from '@jest/globals';
import { Job } from './job.ts';
import { createLogger } from './logger.ts';
import { until } from '../test/support/until.ts';

let job: Job;
afterEach(async () => {
  jest.useRealTimers();
  await job.stop();
});

it('begins at once, continues while there is more, then waits until it is nudged', async () => {
  let passes = 0;
  job = new Job({ name: 'test', everyMs: HOUR_MS, work: async () => ++passes < 3 });
  job.start();
  job.start();
  await until('it has done everything', () => passes === 3);
  job.nudge();
  await until('it was nudged', () => passes === 4);
});

it('repeats after its interval', async () => {
  let passes = 0;
  job = new Job({ name: 'test', everyMs: 5, firstAfterMs: 5, work: async () => void passes++ });
  job.start();
  expect(passes).toBe(0);
  await until('three passes', () => passes >= 3);
});

it('does not miss a nudge that comes during a pass', async () => {
  let passes = 0;
  job = new Job({
    name: 'test',
    everyMs: HOUR_MS,
    async work() {
      if (++passes === 1) job.nudge();
    },
  });
  job.start();
  await until('the second pass', () => passes === 2);
});

it('continues after failures, and logs the first of them and the success', async () => {
  const lines: { job: string; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as never) };
  const waits: number[] = [];
  let passes = 0;
  job = new Job({
    name: 'test',
    everyMs: HOUR_MS,
    logger: createLogger({ name: 'test', level: 'info', destination }),
    retryAfterMs: (failures) => waits.push(failures),
    async work() {
      if (++passes < 4) throw new Error('not yet');
    },
  });
  job.start();
  await until('it works', () => lines.length === 2);
  expect(waits).toEqual([1, 2, 3]);
  expect(lines).toMatchObject([
    { level: 'warn', job: 'test', msg: 'a job failed; trying again', err: { message: 'not yet' } },
    { level: 'info', job: 'test', msg: 'a job works again' },
  ]);
});

it('does not count the abort of the pass under way at shutdown as a failure', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    name: 'test',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const begun = Promise.withResolvers<undefined>();
  let ended = false;
  const work = async (signal: AbortSignal): Promise<void> => {
    begun.resolve(undefined);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended = true;
    signal.throwIfAborted();
  };
  job = new Job({ name: 'test', everyMs: 1, work, logger });
  job.start();
  await begun.promise;
  await job.stop();
  expect(ended).toBe(true);
  expect(lines).toEqual([]);
});

it.each([
  ['what it is told', 100, 1_100],
  ['as long as the last pass took', 3_000, 6_000],
  ['no longer than its interval', 20_000, 25_000],
])('gathers for %s before the pass after a nudge, which leaves no timer', async (_what, tookMs, secondAt) => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const begun = performance.now();
  const passes: number[] = [];
  const work = async (): Promise<void> => {
    passes.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, tookMs));
  };
  job = new Job({ name: 'test', everyMs: 5_000, gatherMs: 1_000, work });
  job.start();
  await jest.advanceTimersByTimeAsync(tookMs);
  expect(jest.getTimerCount()).toBe(1);
  job.nudge();
  await jest.advanceTimersByTimeAsync(secondAt - tookMs - 1);
  expect([passes, jest.getTimerCount()]).toEqual([[0], 1]);
  await jest.advanceTimersByTimeAsync(1);
  expect(passes).toEqual([0, secondAt]);
  await jest.advanceTimersByTimeAsync(tookMs);
});

it('tries again no sooner than after its interval, and after 5 s at the latest if that is shorter', async () => {
  for (const [everyMs, expected] of [
    [60_000, [0, 60_000, 120_000]],
    [1_000, [0, 2_000, 6_000, 11_000, 16_000]],
  ] as const) {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const begun = performance.now();
    const passes: number[] = [];
    const work = (): Promise<void> => {
      passes.push(performance.now() - begun);
      return Promise.reject(new Error('not yet'));
    };
    job = new Job({ name: 'test', everyMs, work });
    job.start();
    await jest.advanceTimersByTimeAsync(expected.at(-1)!);
    expect(passes).toEqual(expected);
    jest.useRealTimers();
    await job.stop();
  }
});

it('ends with a pass that it was stopped in, and keeps its pause after a failure when it is nudged', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  job = new Job({ name: 'test', everyMs: HOUR_MS, work: () => promise });
  job.start();
  const stopped = job.stop();
  resolve();
  await stopped;

  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  let passes = 0;
  const work = (): Promise<void> => ((passes += 1), Promise.reject(new Error('not yet')));
  job = new Job({ name: 'test', everyMs: 1_000, retryAfterMs: () => 10_000, work });
  job.start();
  await jest.advanceTimersByTimeAsync(1);
  job.nudge();
  await jest.advanceTimersByTimeAsync(9_998);
  expect(passes).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(passes).toBe(2);
});

it('counts failures in a row', async () => {
  const counted: number[] = [];
  let passes = 0;
  job = new Job({
    name: 'test',
    everyMs: 1,
    retryAfterMs: (failures) => (counted.push(failures), 1),
    async work() {
      if (++passes % 3 !== 0) throw new Error('not yet');
    },
  });
  job.start();
  await until('it has failed, worked and failed', () => counted.length >= 4);
  expect(counted.slice(0, 4)).toEqual([1, 2, 1, 2]);
});
