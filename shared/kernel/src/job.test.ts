import { HOUR_MS } from './durations.ts';
import { afterEach, expect, it } from '@jest/globals';
import { Job } from './job.ts';
import { createLogger } from './logger.ts';
import { until } from '../test/support/until.ts';

let job: Job;
afterEach(() => job.stop());

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
