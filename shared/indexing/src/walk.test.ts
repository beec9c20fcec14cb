/** A walk over a chain in memory, whose nodes and index answer when a test lets them. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { FinalizedBlock, FinalizedLogs } from './finalized-logs.ts';
import { IndexHalted } from './halted.ts';
import type { IndexLease } from './lease.ts';
import { CheckpointConflict, type Position } from './position.ts';
import { joinReadings, type RangeReading } from './range-reading.ts';
import { Walk, WALK_DEFAULTS, type WalkedIndex } from './walk.ts';
import { WalkReporter } from './walk-reporter.ts';

const HEAD = 3;
const LEASE_MS = 9_000;
const hashAt = (number: number): string => `0x${number}`;
const readingOf = ({ from, to }: BlockRange, parentHash = hashAt(from - 1)): RangeReading<null> => ({
  ...{ from, to, parentHash, hash: hashAt(to), count: 0, found: null },
});
const never = new Promise<never>(() => undefined);
const logger = createLogger({ name: 'walk', level: 'silent' });

let read: FinalizedLogs<null>['read'];
let add: (reading: RangeReading<null>) => Promise<void>;
let isHeld: boolean;
let claims: number;
let lease: IndexLease | undefined;
let position: Position | null;
let first: number;
let reporter: WalkReporter;
let walk: Walk<null, RangeReading<null>, Position>;
let walkTo: (toBlock?: number) => typeof walk;

const index: WalkedIndex<null, RangeReading<null>, Position> = {
  resume: async () => position,
  prepare: async (reading) => reading,
  async add(base, reading) {
    await add(reading);
    return (position = { from: base?.from ?? reading.from, number: reading.to, hash: reading.hash });
  },
  async claim(claimed) {
    claims += 1;
    if (isHeld) lease = claimed;
    return isHeld;
  },
  release: async (holder) => void (lease = lease?.holder === holder ? undefined : lease),
};

beforeEach(() => {
  [isHeld, claims, lease, position, first] = [true, 0, undefined, null, 0];
  read = async (range) => readingOf(range);
  add = async () => undefined;
  const logs: FinalizedLogs<null> = {
    reduction: {
      topics: [],
      start: () => ({ found: null, take: () => undefined }),
      join: () => null,
    },
    finalized: async () => ({ number: HEAD, hash: hashAt(HEAD) }) as FinalizedBlock,
    firstFrom: async (height) => Math.max(height, first),
    hashAt: async (height) => hashAt(height),
    read: (range, signal) => read(range, signal),
  };
  const meter = createTelemetry('walk').meter('walk');
  reporter = new WalkReporter({
    ...{ kind: 'test', prefix: 'test', network: 'eth-mainnet', logger, meter, clock: systemClock },
  });
  const settings = { ...WALK_DEFAULTS, firstBlocks: 1, maxBlocks: 1, leaseMs: LEASE_MS, pollMs: 1_000_000 };
  walkTo = (toBlock) =>
    new Walk({
      ...{ index, logs, clock: systemClock, logger, reporter, holder: 'this' },
      settings: { ...settings, ...(toBlock !== undefined && { toBlock }) },
    });
  walk = walkTo();
});
afterEach(() => walk.stop());

describe('the lease of a walk', () => {
  afterEach(() => void jest.useRealTimers());

  it('is renewed before it runs out; once it is lost, the round ends', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'performance', 'Date'],
    });
    const reading = Promise.withResolvers<AbortSignal>();
    read = (_range, signal) => (reading.resolve(signal), never);
    walk.start();
    const signal = await reading.promise;
    jest.advanceTimersByTime(LEASE_MS - 1);
    expect([claims, signal.aborted]).toEqual([3, false]);
    isHeld = false;
    jest.advanceTimersByTime(LEASE_MS);
    await until('the round has ended', () => signal.aborted);
    expect(signal.reason).toBeInstanceOf(CheckpointConflict);
    await until('it is renewed no more', () => jest.getTimerCount() === 0);
  });

  it('has the report of a round that has ended, and is released when the walk stops', async () => {
    walk.start();
    await until('all blocks are in', () => lease?.status.state === 'following');
    expect(position?.number).toBe(HEAD);
    await walk.stop();
    expect(lease).toBeUndefined();
  });

  it('is released also where a node does not answer, nor end its answer', async () => {
    const reading = Promise.withResolvers<void>();
    read = () => (reading.resolve(), never);
    walk.start();
    await reading.promise;
    await walk.stop();
    expect(lease).toBeUndefined();
  });
});

it('an index that is to begin above the last final block says that it waits', async () => {
  first = HEAD + 1;
  walk.start();
  await until('it waits', () => reporter.status.state === 'waiting');
  expect(reporter.status.detail).toBe('block 4, the first that is wanted, is not final yet');
  expect(reporter.hasCaughtUp).toBe(false);
});

it('an index of earlier blocks waits where the node has none of them', async () => {
  first = HEAD;
  walk = walkTo(HEAD - 1);
  walk.start();
  await until('it waits', () => reporter.status.state === 'waiting');
  expect(reporter.status.detail).toBe('the node has no block before 3');
  expect(reporter.hasCaughtUp).toBe(false);
});

it('an index that is halted says so at once, and is tried again after the longest pause; any other fault soon', async () => {
  const { maxPauseMs } = WALK_DEFAULTS;
  const clocks = ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] as const;
  jest.useFakeTimers({ doNotFake: [...clocks] });
  try {
    const rounds = (): Promise<number> => jest.advanceTimersByTimeAsync(0).then(() => claims);
    add = () => Promise.reject(new IndexHalted('another chain'));
    walk.start();
    const before = await rounds();
    expect(lease?.status).toMatchObject({ state: 'halted', detail: 'another chain' });
    await jest.advanceTimersByTimeAsync(maxPauseMs - 1);
    expect(await rounds()).toBe(before);
    add = () => Promise.reject(new Error('the disk is full'));
    await jest.advanceTimersByTimeAsync(1);
    const again = await rounds();
    expect(again).toBeGreaterThan(before);
    expect(reporter.status.state).toBe('waiting');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await rounds()).toBeGreaterThan(again);
  } finally {
    jest.useRealTimers();
  }
});

it('what is read ahead in vain harms nothing', async () => {
  const escaped: unknown[] = [];
  const note = (error: unknown): void => void escaped.push(error);
  process.on('unhandledRejection', note);
  const behind = Promise.withResolvers<never>();
  read = (range) => (range.from === 0 ? Promise.resolve(readingOf(range)) : behind.promise);
  let hasFailed = false;
  add = async () => {
    hasFailed = true;
    throw new CheckpointConflict();
  };
  walk.start();
  await until('it has failed', () => hasFailed);
  behind.reject(new TypeError('no such node'));
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(escaped).toEqual([]);
});

it.each([
  ['are one', readingOf({ from: 2, to: 3 }), readingOf({ from: 0, to: 3 })],
  ['of another chain are not joined', readingOf({ from: 2, to: 3 }, '0xanother'), null],
  ['with a gap between them are not joined', readingOf({ from: 3, to: 3 }, hashAt(1)), null],
])('parts of a range %s', (_what, second, joined) => {
  expect(joinReadings(readingOf({ from: 0, to: 1 }), second, () => null)).toEqual(joined);
});
