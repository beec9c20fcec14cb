import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import fc from 'fast-check';
import { DateSearch } from './date-search.ts';
import { createJsonRpcNode } from '../rpc/json-rpc.ts';
import type { EthereumNode } from '../rpc/node.ts';
import type { NodeErrorKind } from '../rpc/node-error-kind.ts';
import { NodeError } from '../rpc/node-error.ts';
import { KnownBlocks } from '../state/known-blocks.ts';
import type { BlockCalendar } from './calendar.ts';
import { memoryCalendar } from '../../test/support/memory-calendar.ts';
import { hashOf, startHeaderServer, type HeaderServer } from '../../test/support/header-server.ts';
import { mainnetTimes } from '../../test/support/mainnet-times.ts';
import { PATIENT } from '../../test/support/patient.ts';

const NOW = 2_000_000_000;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function searchOn(url: string, now = NOW): DateSearch {
  const node = createJsonRpcNode({ url, ...PATIENT });
  closers.push(() => node.close());
  const clock = { now: () => now * 1000 };
  return new DateSearch({ node, clock, known: new KnownBlocks(clock, 500) });
}

async function serve(options: Parameters<typeof startHeaderServer>[0]): Promise<HeaderServer> {
  const server = await startHeaderServer(options);
  closers.push(() => server.close());
  return server;
}

/** A node that answers an error in place of null. */
function lackingNode(url: string, kind: NodeErrorKind): EthereumNode {
  const node = createJsonRpcNode({ url, ...PATIENT });
  closers.push(() => node.close());
  const error = new NodeError(kind, 'the node lacks the block');
  return {
    ...node,
    send: async (calls, options) => {
      const outcomes = await node.send(calls, options);
      return outcomes.map((one) => ('result' in one && one.result === null ? { error } : one));
    },
  };
}

/** The truth: the last index whose time is not after the moment. */
function scan(times: ArrayLike<number>, seconds: number): number {
  let found = -1;
  for (let index = 0; index < times.length; index++) if (times[index]! <= seconds) found = index;
  return found;
}

describe('a date on a short chain', () => {
  const times = [100, 112, 112, 112, 130, 131];

  it('means the last block at or before it', async () => {
    const search = searchOn((await serve({ times, first: 50 })).url);
    const found = async (seconds: number) => (await search.findBlockAt(seconds)).number;
    expect([await found(100), await found(111), await found(112), await found(129)]).toEqual([
      50, 50, 53, 53,
    ]);
    expect([await found(130), await found(131), await found(NOW)]).toEqual([54, 55, 55]);
  });

  it('gives the whole block', async () => {
    const search = searchOn((await serve({ times })).url);
    expect(await search.findBlockAt(130)).toEqual({
      number: 4,
      hash: hashOf(4),
      parentHash: hashOf(3),
      timestamp: 130,
    });
  });

  it('is refused before the first block, with its time', async () => {
    const search = searchOn((await serve({ times, first: 50 })).url);
    await expect(search.findBlockAt(99)).rejects.toMatchObject({
      name: 'NoBlockAtDate',
      message: "1970-01-01T00:01:39Z is before the chain's first block, 50 of 1970-01-01T00:01:40Z",
    });
  });

  it('is refused in the future, unless a block has that time already', async () => {
    const search = searchOn((await serve({ times })).url, 120);
    await expect(search.findBlockAt(132)).rejects.toMatchObject({
      name: 'NoBlockAtDate',
      message: '1970-01-01T00:02:12Z is in the future; the latest block is 5 of 1970-01-01T00:02:11Z',
    });
    expect((await search.findBlockAt(131)).number).toBe(5);
    expect((await search.findBlockAt(130)).number).toBe(4);
  });

  it('before the node’s oldest block is missing there, not before the chain', async () => {
    const search = searchOn((await serve({ times, first: 50, cutOff: true })).url);
    await expect(search.findBlockAt(99)).rejects.toMatchObject({ kind: 'missing-state' });
    expect((await search.findBlockAt(113)).number).toBe(53);
  });

  it('is not looked for where its caller has left', async () => {
    const server = await serve({ times });
    const search = searchOn(server.url);
    const left = AbortSignal.abort(new Error('the caller has left'));
    await expect(search.findBlockAt(112, left)).rejects.toThrow('the caller has left');
    await expect(search.findBlocksAt([112], left)).rejects.toThrow('the caller has left');
    expect(server.requests()).toBe(0);
  });

  it('is found in older blocks once the node has them', async () => {
    const history = { times: times.slice(2), first: 2, cutOff: true };
    const search = searchOn((await serve(history)).url);
    await expect(search.findBlockAt(100)).rejects.toMatchObject({ kind: 'missing-state' });
    Object.assign(history, { times, first: 0, cutOff: false });
    expect((await search.findBlockAt(100)).number).toBe(0);
  });

  it.each(['missing-state', 'unknown-block'] as const)(
    'is found once nodes have dropped earlier ones: %s',
    async (kind) => {
      const even = Array.from({ length: 1_000 }, (_, i) => 12 * i);
      const history = { times: even, first: 0, finalized: 999, cutOff: false };
      const node = lackingNode((await serve(history)).url, kind);
      const clock = { now: () => NOW * 1000 };
      const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500) });
      expect((await search.findBlockAt(1_200)).number).toBe(100);
      Object.assign(history, { times: even.slice(500), first: 500, cutOff: true });
      expect((await search.findBlockAt(6_605)).number).toBe(550);
      await expect(search.findBlockAt(5_900)).rejects.toMatchObject({ kind: 'missing-state' });
      expect((await search.findBlockAt(1_200)).number).toBe(100);
    },
  );

  it('works on a chain of one block', async () => {
    const search = searchOn((await serve({ times: [100] })).url);
    expect((await search.findBlockAt(NOW)).number).toBe(0);
    await expect(search.findBlockAt(99)).rejects.toMatchObject({ name: 'NoBlockAtDate' });
  });
});

describe('a date on any chain', () => {
  const gap = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 100_000 }));
  const chains = fc.record({
    gaps: fc.array(gap, { minLength: 1, maxLength: 400 }),
    first: fc.integer({ min: 0, max: 20_000_000 }),
    finalShare: fc.double({ min: 0, max: 1, noNaN: true }),
    moments: fc.array(fc.double({ min: 0, max: 1.02, noNaN: true }), { minLength: 1, maxLength: 6 }),
  });

  it('gives the same block as a linear scan', async () => {
    const property = fc.asyncProperty(chains, async ({ gaps, first, finalShare, moments }) => {
      let time = 1_000;
      const times = gaps.map((seconds) => (time += seconds));
      const finalized = first + Math.floor((times.length - 1) * finalShare);
      const server = await startHeaderServer({ times, first, finalized });
      const node = createJsonRpcNode({ url: server.url, ...PATIENT });
      const clock = { now: () => NOW * 1000 };
      try {
        const search = new DateSearch({
          node,
          clock,
          known: new KnownBlocks(clock, 500),
          headersPerRequest: 12,
        });
        for (const moment of moments) {
          const seconds = times[0]! + Math.floor((time - times[0]!) * moment);
          const { number } = await search.findBlockAt(seconds);
          expect(number).toBe(first + scan(times, seconds));
          expect(await search.findBlockAt(seconds)).toMatchObject({ number });
        }
        const all = moments.map((moment) => times[0]! + Math.floor((time - times[0]!) * moment));
        const many = new DateSearch({
          node,
          clock,
          known: new KnownBlocks(clock, 500),
          headersPerRequest: 12,
        });
        const found = await many.findBlocksAt(all);
        expect(found.map(({ number }) => number)).toEqual(all.map((seconds) => first + scan(times, seconds)));
      } finally {
        await node.close();
        await server.close();
      }
    });
    await fc.assert(property, cases(30));
  });
});

const LENGTH = 20_000_000;
let times: Uint32Array;
beforeAll(() => {
  times = mainnetTimes(LENGTH);
});

describe('a date on a chain as long as mainnet', () => {
  /** Moments all over the chain, always the same. */
  const moments = (count: number): number[] => {
    const from = times[0]!;
    const span = times[LENGTH - 1]! - from;
    return Array.from({ length: count }, (_, i) => from + Math.floor(span * ((i * 0.618_033_988_75) % 1)));
  };
  const isAt = (number: number, seconds: number): boolean =>
    times[number]! <= seconds && times[number + 1]! > seconds;

  it('takes at most 6 requests of at most 24 headers, with nothing remembered', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const node = createJsonRpcNode({ url: server.url, ...PATIENT });
    closers.push(() => node.close());
    const clock = { now: () => NOW * 1000 };
    const counts: number[] = [];
    for (const seconds of moments(100)) {
      const before = server.requests();
      const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500) });
      const { number } = await search.findBlockAt(seconds);
      expect([seconds, isAt(number, seconds)]).toEqual([seconds, true]);
      counts.push(server.requests() - before);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(6);
    expect(server.largestBatch()).toBeLessThanOrEqual(24);
  });

  it('takes at most 3 requests after some searches, and none for the same moment again', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const search = searchOn(server.url);
    for (const seconds of moments(500)) await search.findBlockAt(seconds);
    const counts: number[] = [];
    for (const seconds of moments(150).map((moment) => moment + 86_400)) {
      const before = server.requests();
      expect(isAt((await search.findBlockAt(seconds)).number, seconds)).toBe(true);
      counts.push(server.requests() - before);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(3);
    const before = server.requests();
    for (const seconds of moments(500)) await search.findBlockAt(seconds);
    expect(server.requests()).toBe(before);
  });

  it('searches once for concurrent questions about a moment', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const search = searchOn(server.url);
    const found = await Promise.all(Array.from({ length: 20 }, () => search.findBlockAt(1_600_000_000)));
    expect(new Set(found.map(({ hash }) => hash)).size).toBe(1);
    expect(server.requests()).toBeLessThanOrEqual(6);
  });
});

describe('a date on a chain of hundreds of millions of blocks', () => {
  const FAR = 506_000_000;
  const BEGUN = 1_650_000_000;
  /** From then on four blocks share each second. */
  const FASTER = 100_000_000;
  const timeOf = (number: number): number =>
    BEGUN + (number < FASTER ? number : FASTER + Math.floor((number - FASTER) / 4));
  const computed = new Proxy<ArrayLike<number>>(
    { length: FAR },
    { get: (_, key) => (key === 'length' ? FAR : timeOf(Number(key))) },
  );

  it('is the last block of its second, by at most 5 requests of at most 24 headers', async () => {
    const server = await serve({ times: computed, finalized: FAR - 10_000 });
    const counts: number[] = [];
    for (let i = 0; i < 60; i++) {
      const seconds = BEGUN + Math.floor((timeOf(FAR - 1) - BEGUN) * ((i * 0.618_033_988_75) % 1));
      const before = server.requests();
      const { number } = await searchOn(server.url).findBlockAt(seconds);
      expect([timeOf(number), timeOf(number + 1)]).toEqual([seconds, seconds + 1]);
      counts.push(server.requests() - before);
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
    expect(server.largestBatch()).toBeLessThanOrEqual(24);
  });
});

describe('many dates', () => {
  const DAY = 86_400;
  const everyDay = (from: string, days: number, step = 1): number[] =>
    Array.from({ length: days }, (_, i) => Date.parse(from) / 1_000 + i * step * DAY);
  const areAt = (blocks: readonly { number: number }[], moments: readonly number[]): boolean =>
    moments.every((seconds, i) => {
      const { number } = blocks[i]!;
      return times[number]! <= seconds && times[number + 1]! > seconds;
    });

  it.each([
    ['a year of slots', everyDay('2023-01-01', 365)],
    ['a year of the proof of work', everyDay('2019-01-01', 365)],
    ['a year with a difficulty bomb', everyDay('2017-01-01', 365)],
    ['all weeks', everyDay('2015-09-01', 400, 7)],
  ])('of %s take at most 20 requests with nothing remembered, and none again', async (_what, moments) => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const search = searchOn(server.url);
    const shuffled = moments.toSorted((a, b) => ((a * 7) % 1_009) - ((b * 7) % 1_009));
    expect(areAt(await search.findBlocksAt(shuffled), shuffled)).toBe(true);
    expect(server.requests()).toBeLessThanOrEqual(20);
    expect(server.largestBatch()).toBeLessThanOrEqual(400);
    const before = server.requests();
    expect(areAt(await search.findBlocksAt(moments), moments)).toBe(true);
    expect((await search.findBlockAt(moments[7]!)).number).toBe(
      (await search.findBlocksAt([moments[7]!]))[0]!.number,
    );
    expect(server.requests()).toBe(before);
  });

  it('are refused where one of them has no block', async () => {
    const search = searchOn((await serve({ times: [100, 112, 130], first: 50 })).url);
    expect(await search.findBlocksAt([])).toEqual([]);
    expect((await search.findBlocksAt([130, 100, 111, 100])).map(({ number }) => number)).toEqual([
      52, 50, 50, 50,
    ]);
    await expect(search.findBlocksAt([112, 99])).rejects.toMatchObject({ name: 'NoBlockAtDate' });
    await expect(search.findBlocksAt([112, NOW + 1])).rejects.toMatchObject({ name: 'NoBlockAtDate' });
  });

  it('are found on a node that takes only small requests', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const node = createJsonRpcNode({ url: server.url, ...PATIENT });
    closers.push(() => node.close());
    const small: typeof node = {
      ...node,
      send: (calls, options) =>
        calls.length > 100
          ? Promise.reject(new NodeError('refused', 'batch too large'))
          : node.send(calls, options),
    };
    const clock = { now: () => NOW * 1_000 };
    const search = new DateSearch({ node: small, clock, known: new KnownBlocks(clock, 500) });
    const moments = everyDay('2023-01-01', 365);
    expect(areAt(await search.findBlocksAt(moments), moments)).toBe(true);
    expect(server.largestBatch()).toBeLessThanOrEqual(100);
  });
});

describe('the calendar of earlier searches', () => {
  const MIDNIGHT = Date.parse('2021-06-01') / 1_000;
  const HOUR = 3_600;
  const isAt = (number: number, seconds: number): boolean =>
    times[number]! <= seconds && times[number + 1]! > seconds;

  function open(url: string, calendar: BlockCalendar): { search: DateSearch; known: KnownBlocks } {
    const node = createJsonRpcNode({ url, ...PATIENT });
    closers.push(() => node.close());
    const clock = { now: () => NOW * 1_000 };
    const known = new KnownBlocks(clock, 500);
    return { search: new DateSearch({ node, clock, known, calendar }), known };
  }

  it('answers an hour without a request, once it has been opened, and any moment of a known hour by two', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const calendar = memoryCalendar();
    const hours = [MIDNIGHT, MIDNIGHT + HOUR, MIDNIGHT + 2 * HOUR];
    const first = await open(server.url, calendar).search.findBlocksAt(hours);
    const { search, known } = open(server.url, calendar);
    const before = server.requests();
    expect(await search.findBlocksAt(hours)).toEqual(first);
    expect(server.requests() - before).toBe(1);
    for (const seconds of hours) expect((await search.findBlockAt(seconds)).number).toBeGreaterThan(0);
    expect(server.requests() - before).toBe(1);
    expect(first.every((block) => known.isFinalized({ ...block, number: block.number + 1 }))).toBe(true);
    for (const seconds of [MIDNIGHT + 700, MIDNIGHT + HOUR + 1_234]) {
      const asked = server.requests();
      expect(isAt((await search.findBlockAt(seconds)).number, seconds)).toBe(true);
      expect(server.requests() - asked).toBeLessThanOrEqual(2);
    }
  });

  it('holds finalized blocks only, each in its hour', async () => {
    const finalized = 11_000_000;
    const server = await serve({ times, finalized });
    const calendar = memoryCalendar();
    const { search } = open(server.url, calendar);
    await search.findBlocksAt([times[finalized]! - HOUR, times[finalized]! + HOUR]);
    expect(calendar.kept.size).toBeGreaterThan(0);
    for (const { hour, block, isLast } of calendar.kept.values()) {
      expect(block.number).toBeLessThanOrEqual(finalized);
      expect(Math.ceil(block.timestamp / HOUR)).toBe(hour);
      if (isLast) expect(isAt(block.number, hour * HOUR)).toBe(true);
    }
  });

  it('of another chain is forgotten', async () => {
    const other = await serve({
      times,
      finalized: LENGTH - 64,
      distort: (header) => ({
        ...header,
        hash: hashOf(header.number, 7),
        parentHash: header.number === 0 ? header.parentHash : hashOf(header.number - 1, 7),
      }),
    });
    const server = await serve({ times, finalized: LENGTH - 64 });
    const calendar = memoryCalendar();
    const hour = [MIDNIGHT];
    expect((await open(other.url, calendar).search.findBlocksAt(hour))[0]!.hash).toMatch(/^0x7/);
    const [block] = await open(server.url, calendar).search.findBlocksAt(hour);
    expect(block!.hash).toMatch(/^0x1/);
    for (const kept of calendar.kept.values()) expect(kept.block.hash).toMatch(/^0x1/);
  });

  it('answers an hour by the last block of it alone, and counts no block after it as final', async () => {
    const { url } = await serve({ times: [3_500, 7_000, 7_100, 7_300], finalized: null });
    const calendar = memoryCalendar();
    const at = (number: number, timestamp: number) => ({
      ...{ number, timestamp, hash: hashOf(number), parentHash: hashOf(number - 1) },
    });
    await calendar.keep([{ hour: 2, block: at(1, 7_000), isLast: false }]);
    const { search, known } = open(url, calendar);
    expect((await search.findBlockAt(2 * HOUR)).number).toBe(2);
    expect([1, 2].map((number) => known.isFinalized(at(number, 0)))).toEqual([true, false]);
  });

  it('counts the block after the last one of an hour as final, which it was', async () => {
    const { url } = await serve({ times: [3_500, 7_000, 7_100, 7_300, 7_400], finalized: null });
    const calendar = memoryCalendar();
    const block = { number: 2, timestamp: 7_100, hash: hashOf(2), parentHash: hashOf(1) };
    await calendar.keep([{ hour: 2, block, isLast: true }]);
    const { search, known } = open(url, calendar);
    expect((await search.findBlockAt(2 * HOUR)).number).toBe(2);
    expect([3, 4].map((number) => known.isFinalized({ ...block, number }))).toEqual([true, false]);
  });

  it('is not believed on a node that has none of its blocks', async () => {
    const { url } = await serve({ times: [7_000, 7_100, 7_300], first: 50, cutOff: true });
    const calendar = memoryCalendar();
    const block = { number: 3, timestamp: 7_150, hash: hashOf(3, 9), parentHash: hashOf(2, 9) };
    await calendar.keep([{ hour: 2, block, isLast: true }]);
    expect((await open(url, calendar).search.findBlockAt(2 * HOUR)).number).toBe(51);
    expect(calendar.kept.size).toBeGreaterThan(0);
  });

  it.each(['missing-state', 'unknown-block'] as const)(
    'holds where nodes lack its first block: %s',
    async (kind) => {
      const { url } = await serve({ times: [7_000, 7_100, 7_300], first: 50, cutOff: true });
      const calendar = memoryCalendar();
      const dropped = { number: 3, timestamp: 3_500, hash: hashOf(3), parentHash: hashOf(2) };
      const kept = { number: 51, timestamp: 7_100, hash: hashOf(51), parentHash: hashOf(50) };
      await calendar.keep([
        { hour: 1, block: dropped, isLast: true },
        { hour: 2, block: kept, isLast: true },
      ]);
      const node = lackingNode(url, kind);
      const clock = { now: () => NOW * 1_000 };
      const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500), calendar });
      expect((await search.findBlockAt(7_150)).number).toBe(51);
      expect(await search.findBlockAt(HOUR)).toEqual(dropped);
    },
  );

  it('that cannot be read is done without', async () => {
    const server = await serve({ times, finalized: LENGTH - 64 });
    const none = { load: async () => undefined, keep: async () => undefined, clear: async () => undefined };
    const { search } = open(server.url, none);
    expect(isAt((await search.findBlockAt(MIDNIGHT)).number, MIDNIGHT)).toBe(true);
  });
});

describe('a date on the dev chain', () => {
  it('is found with many others, though its blocks come a day apart and then every few seconds', async () => {
    const chain = await sharedDevchain(process.env);
    closers.push(() => chain.stop());
    const { storyTime, headTime, head } = CHAIN;
    const moments = Array.from({ length: 120 }, (_, i) =>
      Math.round(storyTime + 7 + ((headTime - storyTime - 7) * i) / 119),
    );
    const blocks = await searchOn(chain.url).findBlocksAt(moments);
    expect(blocks.at(-1)!.number).toBe(head);
    expect(blocks.every(({ timestamp }, i) => timestamp <= moments[i]! && timestamp > moments[i]! - 48)).toBe(
      true,
    );
  });

  it('is exact at both ends', async () => {
    const chain = await sharedDevchain(process.env);
    closers.push(() => chain.stop());
    const search = searchOn(chain.url);
    const found = async (seconds: number) => (await search.findBlockAt(seconds)).number;
    expect(await found(CHAIN.genesisTime)).toBe(CHAIN.genesis);
    expect(await found(CHAIN.headTime - 1)).toBe(CHAIN.head - 1);
    expect(await found(CHAIN.headTime)).toBe(CHAIN.head);
    expect(await found(CHAIN.headTime + 86_400)).toBe(CHAIN.head);
    expect(await found(1_693_066_895)).toBe(18_000_000);
    expect(await found(1_693_066_894)).toBe(17_999_999);
    await expect(search.findBlockAt(CHAIN.genesisTime - 1)).rejects.toMatchObject({ name: 'NoBlockAtDate' });
  });
});

it('a date whose block has turned out to be another is searched from the start', async () => {
  let branch = 1;
  const { url } = await serve({
    times: [100, 112, 112, 112, 130, 131],
    finalized: 5,
    distort: (header) => ({
      ...header,
      hash: hashOf(header.number, branch),
      parentHash: header.number === 0 ? header.parentHash : hashOf(header.number - 1, branch),
    }),
  });
  const node = createJsonRpcNode({ url, ...PATIENT });
  closers.push(() => node.close());
  const clock = { now: () => NOW * 1000 };
  const known = new KnownBlocks(clock, 500);
  const search = new DateSearch({ node, clock, known });
  const before = await search.findBlockAt(112);
  expect(before.hash).toBe(hashOf(3));
  branch = 2;
  expect(await search.findBlockAt(112)).toBe(before);
  known.forget(before);
  expect((await search.findBlockAt(112)).hash).toBe(hashOf(3, 2));
});

describe('blocks that cannot be a chain', () => {
  const times = [100, 112, 112, 112, 130, 131];

  it('are refused wherever they are, not at the date alone', async () => {
    const { url } = await serve({
      times,
      finalized: 5,
      distort: (header) => (header.number === 2 ? { ...header, parentHash: hashOf(1, 9) } : header),
    });
    await expect(searchOn(url).findBlockAt(130)).rejects.toMatchObject({
      kind: 'malformed',
      message: expect.stringContaining('blocks that do not follow each other'),
    });
  });

  it('are not searched without end: a node may invent a height beyond any', async () => {
    const length = 2 ** 52;
    // All of the time of the first but the last, so that the search narrows as slowly as it can.
    const invented = new Proxy<ArrayLike<number>>(
      { length },
      {
        get: (own, at) => (at === 'length' ? own.length : Number(at) === length - 1 ? 1_000 : 100),
      },
    );
    const server = await serve({ times: invented, finalized: null });
    await expect(searchOn(server.url).findBlockAt(500)).rejects.toThrow(
      'times in which no block can be found',
    );
    expect(server.requests()).toBeLessThan(30);
  });

  it('are forgotten: a false hash in the calendar costs one search', async () => {
    const { url } = await serve({ times: [3_500, 7_100, 10_700, 20_000], finalized: 3 });
    const calendar = memoryCalendar();
    const hashes = [hashOf(0), hashOf(1, 9), hashOf(2)];
    await calendar.keep(
      [3_500, 7_100, 10_700].map((timestamp, number) => ({
        hour: number + 1,
        block: { number, timestamp, hash: hashes[number]!, parentHash: hashOf(number - 1) },
        isLast: false,
      })),
    );
    const node = createJsonRpcNode({ url, ...PATIENT });
    closers.push(() => node.close());
    const clock = { now: () => NOW * 1_000 };
    const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500), calendar });
    await expect(search.findBlockAt(7_150)).rejects.toThrow('blocks that do not follow each other');
    expect((await search.findBlockAt(7_150)).hash).toBe(hashOf(1));
  });

  it('are forgotten: a false time in the calendar costs one search', async () => {
    const { url } = await serve({ times, finalized: 5 });
    const calendar = memoryCalendar();
    const false2 = { number: 2, timestamp: 125, hash: hashOf(2), parentHash: hashOf(1) };
    await calendar.keep([{ hour: 1, block: false2, isLast: false }]);
    const node = createJsonRpcNode({ url, ...PATIENT });
    closers.push(() => node.close());
    const clock = { now: () => NOW * 1_000 };
    const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500), calendar });
    await expect(search.findBlockAt(128)).rejects.toMatchObject({ kind: 'malformed' });
    expect((await search.findBlockAt(128)).number).toBe(3);
    expect([...calendar.kept.values()].map(({ block }) => block)).not.toContain(false2);
  });
});
