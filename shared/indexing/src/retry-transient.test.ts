import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { retryTransient } from './retry-transient.ts';

const { signal } = new AbortController();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  // Without jitter.
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Retries a question that fails so. @returns the times of its tries, in milliseconds, and its last fault */
async function triesOf(error: Error, withinMs = 120_000): Promise<readonly [number[], unknown]> {
  const begun = performance.now();
  const at: number[] = [];
  let fault: unknown;
  const work = async (): Promise<never> => {
    at.push(Math.round(performance.now() - begun));
    throw error;
  };
  retryTransient({ signal, onRetry: () => undefined }, work).catch((last: unknown) => (fault = last));
  await jest.advanceTimersByTimeAsync(withinMs);
  return [at, fault];
}

it('a fault of the answer is met four times at the most', async () => {
  const error = new NodeError('malformed', 'no chain');
  expect(await triesOf(error)).toEqual([[0, 200, 600, 1_400], error]);
});

it('a fault that time may mend is tried for a minute', async () => {
  const error = new NodeError('timeout', 'too slow');
  const [at, fault] = await triesOf(error);
  expect([at.slice(0, 6), fault]).toEqual([[0, 200, 600, 1_400, 3_000, 5_000], error]);
  expect(at.at(-1)).toBeGreaterThanOrEqual(60_000);
  expect(at.at(-1)).toBeLessThanOrEqual(62_000);
});

it('the node’s own wish is kept, for ten seconds at the most', async () => {
  const wishing = (retryAfterMs: number) => new NodeError('busy', 'too many requests', { retryAfterMs });
  expect((await triesOf(wishing(3_600_000), 25_000))[0]).toEqual([0, 10_000, 20_000]);
  expect((await triesOf(wishing(10), 1_000))[0]).toEqual([0, 200, 600]);
});

it('any other fault is thrown at once', async () => {
  const error = new TypeError('a fault of ours');
  expect(await triesOf(error)).toEqual([[0], error]);
});
