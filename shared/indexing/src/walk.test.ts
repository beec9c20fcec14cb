/** A walk over a chain in memory, whose nodes and index answer when a test lets them. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { FinalizedBlock, FinalizedLogs } from './finalized-logs.ts';
import { IndexHalted } from './halted.ts';
import type { IndexLease, LeasedIndex } from './lease.ts';
import { CheckpointConflict, type Position } from './position.ts';
import { joinReadings, type RangeReading } from './range-reading.ts';
import { firstToWalk, Walk, WALK_DEFAULTS, type WalkedIndex } from './walk.ts';
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
let storeFault: Error | undefined;
let claims: number;
let lease: IndexLease | undefined;
let position: Position | null;
let first: number;
let finalized: FinalizedBlock | null;
let hashOf: (number: number) => string | null;
let caughtUp: number;
let reporter: WalkReporter;
let walk: Walk<null, RangeReading<null>, Position>;
let walkTo: (toBlock?: number, more?: Partial<typeof WALK_DEFAULTS>) => typeof walk;

const index: WalkedIndex<null, RangeReading<null>, Position> & LeasedIndex = {
  resume: async () => position,
  prepare: async (reading) => reading,
  async add(base, reading) {
    await add(reading);
    return (position = { from: base?.from ?? reading.from, number: reading.to, hash: reading.hash });
  },
  caughtUp: async () => void (caughtUp += 1),
  async claim(claimed) {
    if (storeFault) throw storeFault;
    claims += 1;
    if (isHeld) lease = claimed;
    return isHeld;
  },
  async release(holder) {
    if (storeFault) throw storeFault;
    if (lease?.holder === holder) lease = undefined;
  },
};

beforeEach(() => {
  [isHeld, claims, lease, position, first] = [true, 0, undefined, null, 0];
  storeFault = undefined;
  [finalized, hashOf, caughtUp] = [{ number: HEAD, hash: hashAt(HEAD) } as FinalizedBlock, hashAt, 0];
  read = async (range) => readingOf(range);
  add = async () => undefined;
  const logs: FinalizedLogs<null> = {
    reduction: {
      topics: [],
      start: () => ({ found: null, take: () => undefined }),
      join: () => null,
    },
    finalized: async () => finalized,
    firstFrom: async (height) => Math.max(height, first),
    hashAt: async (height) => hashOf(height),
    read: (range, signal) => read(range, signal),
  };
  const meter = createTelemetry('walk').meter('walk');
  reporter = new WalkReporter({
    ...{ kind: 'test', prefix: 'test', network: 'eth-mainnet', logger, meter, clock: systemClock },
  });
  const settings = { ...WALK_DEFAULTS, firstBlocks: 1, maxBlocks: 1, leaseMs: LEASE_MS, pollMs: 1_000_000 };
  walkTo = (toBlock, more) =>
    new Walk({
      ...{ index, leased: index, logs, clock: systemClock, logger, reporter, holder: 'this' },
      settings: { ...settings, ...more, ...(toBlock !== undefined && { toBlock }) },
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

  it('that cannot be renewed ends no process, nor its round', async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'performance', 'Date'],
    });
    const escaped: unknown[] = [];
    const note = (error: unknown): void => void escaped.push(error);
    process.on('unhandledRejection', note);
    const reading = Promise.withResolvers<AbortSignal>();
    read = (_range, signal) => (reading.resolve(signal), never);
    walk.start();
    const signal = await reading.promise;
    storeFault = new Error('the disk is full');
    jest.advanceTimersByTime(LEASE_MS);
    await new Promise(setImmediate);
    process.off('unhandledRejection', note);
    expect([escaped, signal.aborted]).toEqual([[], false]);
    storeFault = undefined;
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

  it('is left to run out where the store does not answer at the stop', async () => {
    walk.start();
    await until('it is held', () => lease !== undefined);
    storeFault = new Error('the store does not answer');
    await walk.stop();
    expect(lease).toBeDefined();
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

it('an index of a chain without a final block waits', async () => {
  finalized = null;
  walk.start();
  await until('it waits', () => lease?.status.state === 'waiting');
  expect(reporter.status.detail).toBe('the chain has no finalized block yet');
});

it('an index stands by while another instance holds the lease', async () => {
  isHeld = false;
  walk.start();
  await until('it stands by', () => reporter.status.state === 'standing by');
  expect(position).toBeNull();
});

it.each([
  [
    'has another block',
    '0xanother',
    'halted',
    'the index ends at block 2 with hash 0x2, where the node has 0xanother: ',
  ],
  ['has no block', null, 'waiting', 'the node has no block 2, where the index ends'],
])(
  'an index adds nothing where the node %s in place of its last one',
  async (_what, found, state, detail) => {
    position = { from: 0, number: 2, hash: hashAt(2) };
    hashOf = () => found;
    walk.start();
    await until('it has looked', () => lease?.status.state === state);
    expect(lease?.status.detail).toMatch(new RegExp(`^${detail}`));
    expect([position.number, caughtUp]).toEqual([2, 0]);
  },
);

it.each([
  ['the block before them', null, 0],
  ['the last block of the index', { from: 0, number: 1, hash: hashAt(1) }, 2],
])('blocks that do not follow %s halt the walk', async (_what, begun, from) => {
  position = begun;
  read = async (range) => readingOf(range, range.from === 2 ? '0xanother' : undefined);
  walk.start();
  await until('it is halted', () => lease?.status.state === 'halted');
  expect(lease?.status.detail).toContain('where the node has 0xanother');
  expect([position?.number, from <= 2]).toEqual([1, true]);
});

it('an index that is ahead of the final blocks has not caught up with them', async () => {
  position = { from: 0, number: HEAD + 1, hash: hashAt(HEAD + 1) };
  walk.start();
  await until('the round has ended', () => reporter.hasCaughtUp);
  expect(caughtUp).toBe(0);
});

it('an index that begins later than it should says so', async () => {
  first = 2;
  walk.start();
  await until('all blocks are in', () => reporter.hasCaughtUp);
  expect(reporter.status.detail).toBe('the index begins at block 2: no earlier one is in it yet');
  expect(caughtUp).toBe(1);
});

it('no more ranges are under way than are wanted', async () => {
  const begun: number[] = [];
  const last = Promise.withResolvers<void>();
  read = async (range) => {
    begun.push(range.from);
    if (range.from < HEAD) await last.promise;
    return readingOf(range);
  };
  walk = walkTo(HEAD, { inFlight: 2 });
  walk.start();
  await until('two are read', () => begun.length >= 2);
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);
  last.resolve();
  await until('all blocks are in', () => reporter.hasCaughtUp);
  expect(begun).toEqual([0, 1, 2, 3]);
});

it('a range ends with the last final block', async () => {
  const asked: BlockRange[] = [];
  read = async (range) => {
    asked.push({ from: range.from, to: range.to });
    return readingOf(range);
  };
  walk = walkTo(undefined, { firstBlocks: 64, maxBlocks: 64 });
  walk.start();
  await until('all blocks are in', () => reporter.hasCaughtUp);
  expect(asked).toEqual([{ from: 0, to: HEAD }]);
});

it('a walk that is stopped as it adds its last range has not caught up', async () => {
  let stopped: Promise<void> | undefined;
  add = async ({ to }) => {
    if (to === HEAD) stopped = walk.stop();
  };
  walk.start();
  await until('it is stopped', () => stopped !== undefined);
  await stopped;
  expect([position?.number, caughtUp]).toEqual([HEAD, 0]);
});

it('a walk that is stopped meets no fault', async () => {
  const reading = Promise.withResolvers<void>();
  read = () => (reading.resolve(), never);
  walk.start();
  await reading.promise;
  await walk.stop();
  expect(reporter.status).toMatchObject({ state: 'following', detail: '' });
});

it.each([
  [undefined, 3, 3],
  [5, 3, 5],
  [5, 7, 7],
])('a network that is answered from %p is walked from %i on at %i', (firstBlock, fromBlock, expected) => {
  expect(firstToWalk({ firstBlock } as Network, { fromBlock })).toBe(expected);
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
