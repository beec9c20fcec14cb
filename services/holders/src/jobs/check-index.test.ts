/** The self-check as a job: what it counts, and what it says. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { Meter } from '@opentelemetry/api';
import type { Point, Touched } from '../domain/points.ts';
import type { Track } from '../domain/tracks.ts';
import { checkIndex, type IndexChecks } from './check-index.ts';
import type { CheckedSum } from './self-check.ts';

const [ONE, OTHER] = [`0x${'71'.repeat(20)}`, `0x${'72'.repeat(20)}`];
const pointOf = (token: Track, holder: string): Point => ({ token, holder, id: null, block: 5 });

let checks: IndexChecks;
afterEach(async () => {
  jest.restoreAllMocks();
  await checks.job.stop();
});

interface Setting {
  readonly tracks: readonly Track[];
  readonly isEmpty?: boolean;
  /** Of the chain and of the index, in the block that is compared. */
  readonly points?: (track: Track) => readonly [chain: readonly Point[], index: readonly Point[]];
  readonly sums?: readonly (CheckedSum | null)[];
  readonly read?: (signal: AbortSignal) => Promise<void>;
}

/** A job that has begun: the tracks in turn, then none, a thousand times a second. */
function start({ tracks, isEmpty = false, points = () => [[], []], sums = [], read }: Setting) {
  const lines: string[] = [];
  const counted = new Map<string, number[]>();
  const [left, leftSums] = [[...tracks], [...sums]];
  let rounds = 0;
  const meter = {
    createCounter: (name: string) => ({
      add: (value: number) => void counted.set(name, [...(counted.get(name) ?? []), value]),
    }),
  };
  checks = checkIndex({
    ...{ meter: meter as unknown as Meter, network: 'eth-mainnet', perMinute: 60_000, random: () => 0 },
    tracks() {
      rounds += 1;
      return left.splice(0, 1);
    },
    index: {
      position: async () => (isEmpty ? null : { from: 5, number: 5, hash: '0x' }),
      points: async ({ track }) => points(track)[1],
    },
    logsOf: (track) => ({
      async read(_range, signal) {
        await read?.(signal);
        const touched: Touched = { points: points(track)[0], approvals: [] };
        return { found: touched } as never;
      },
    }),
    sumOf: async () => leftSums.shift() ?? null,
    logger: createLogger({
      ...{ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } },
    }),
  });
  checks.job.start();
  const done = (): Promise<void> => until('all tracks are checked', () => rounds > tracks.length);
  return { lines, counted, done };
}

const sumOf = (sum: string): CheckedSum => ({ token: ONE, block: 5, sum, supply: '7' });

it('counts comparisons, differences and sums, of each track and of all', async () => {
  const [a, b, c] = ['0xa', '0xb', '0xc'].map((holder) => pointOf(ONE, holder)) as [Point, Point, Point];
  const { lines, counted, done } = start({
    tracks: [ONE, ONE, OTHER],
    points: (track) =>
      track === ONE
        ? [
            [a, b],
            [b, c],
          ]
        : [[], []],
    sums: [sumOf('7'), sumOf('8')],
  });
  expect([...counted.values()]).toEqual([[0], [0], [0]]);
  expect([checks.describe(), checks.describe(ONE)]).toEqual(['not compared with the chain yet', undefined]);
  await done();
  expect([checks.describe(), checks.describe(ONE), checks.describe(OTHER)]).toEqual([
    '3 comparisons with the chain, 4 points, 4 DIFFERENCES, 1 of 2 sums are the supply',
    '2 comparisons with the chain, 4 points, 4 DIFFERENCES, 1 of 2 sums are the supply',
    '1 comparisons with the chain, 0 points, no difference',
  ]);
  expect(Object.fromEntries(counted)).toEqual({
    hindsight_holders_checks: [0, 1, 1, 1],
    hindsight_holders_check_differences: [0, 2, 2, 0],
    hindsight_holders_sum_differences: [0, 1],
  });
  const said = (text: string): number => lines.filter((line) => line.includes(text)).length;
  expect([said('do not add up to its supply'), said('differs from the chain'), lines.length]).toEqual([
    ...[1, 2, 3],
  ]);
});

it('has nothing to say where nothing is walked, or has been yet', async () => {
  const { lines, done } = start({ tracks: [ONE, ONE], isEmpty: true });
  await done();
  expect([checks.describe(), lines]).toEqual(['not compared with the chain yet', []]);
});

it('ends a comparison when it is stopped, or after half a minute', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const begun = Promise.withResolvers<void>();
  start({
    tracks: [ONE],
    read: (signal) =>
      new Promise((_, reject) => {
        begun.resolve();
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  });
  await begun.promise;
  expect(timeout.mock.calls).toEqual([[30_000]]);
  await checks.job.stop();
  expect(checks.describe()).toBe('not compared with the chain yet');
});
