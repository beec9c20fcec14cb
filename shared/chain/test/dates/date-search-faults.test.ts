import { afterEach, describe, expect, it } from '@jest/globals';
import { DateSearch } from '../../src/dates/date-search.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import { KnownBlocks } from '../../src/state/known-blocks.ts';
import { hashOf, startHeaderServer, type HeaderFields, type HeaderServer } from '../support/header-server.ts';
import { PATIENT } from '../support/patient.ts';

const NOW = 2_000_000_000;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function searchOn(url: string, headersPerRequest = 24, clock = { now: () => NOW * 1000 }): DateSearch {
  const node = createJsonRpcNode({ url, ...PATIENT });
  closers.push(() => node.close());
  return new DateSearch({ node, clock, known: new KnownBlocks(clock, 500), headersPerRequest });
}

async function serve(options: Parameters<typeof startHeaderServer>[0]): Promise<HeaderServer> {
  const server = await startHeaderServer(options);
  closers.push(() => server.close());
  return server;
}

describe('a date on a node that is wrong', () => {
  const times = Array.from({ length: 1_000 }, (_, index) => 1_000 + 12 * index);
  const wrong = 1_000 + 12 * 500;

  it.each([
    [
      'times that go backwards',
      { distort: (h) => ({ ...h, timestamp: h.number === 501 ? 5 : h.timestamp }) },
    ],
    [
      'other heights',
      { distort: (h) => ({ ...h, number: h.number > 490 && h.number < 999 ? 7 : h.number }) },
    ],
    [
      'successors that are none',
      { distort: (h) => ({ ...h, parentHash: h.number === 501 ? hashOf(9) : h.parentHash }) },
    ],
    ['no block below its head', { distort: (h) => (h.number === 501 ? null : h) }],
    ['no latest block', { distort: (h) => (h.number === 999 ? null : h) }],
    [
      'a first block younger than its latest',
      { distort: (h) => (h.number === 0 ? { ...h, timestamp: NOW } : h) },
    ],
  ] as [string, Pick<Parameters<typeof startHeaderServer>[0], 'distort'>][])(
    'is an error: %s',
    async (_, distortion) => {
      const search = searchOn((await serve({ times, ...distortion })).url);
      await expect(search.findBlockAt(wrong)).rejects.toMatchObject({ name: 'NodeError', kind: 'malformed' });
    },
  );

  it('is an error if two blocks do not form a chain', async () => {
    const distort = (header: HeaderFields): HeaderFields => ({
      ...header,
      parentHash: header.number === 0 ? header.parentHash : hashOf(9),
    });
    const server = await serve({ times: [100, 112], distort, finalized: 1 });
    await expect(searchOn(server.url).findBlockAt(105)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it.each([2, 3, 4, 5, 6])(
    'is found on the new chain when a reorganisation comes before request %i',
    async (since) => {
      const uneven = times.map(
        (time, index) => time + (index > 300 ? 50_000 : 0) + (index > 520 ? 3_000 : 0),
      );
      const branch = (number: number, request: number): number => (number >= 480 && request >= since ? 2 : 1);
      const server = await serve({
        times: uneven,
        distort: (header, request) => ({
          ...header,
          hash: hashOf(header.number, branch(header.number, request)),
          parentHash:
            header.number === 0
              ? header.parentHash
              : hashOf(header.number - 1, branch(header.number - 1, request)),
        }),
      });
      const { number, hash } = await searchOn(server.url, 6).findBlockAt(uneven[500]!);
      expect(number).toBe(500);
      expect(hash).toBe(hashOf(500, branch(500, server.requests())));
      expect(server.requests()).toBeGreaterThanOrEqual(4);
    },
  );
});

it('a date before the node’s own first block is missing there, though the node also has the first one that is answered', async () => {
  const server = await serve({
    times: [100, 110, 120, 130, 140, 150],
    distort: (header) =>
      header.number === 0
        ? { ...header, number: 3, hash: hashOf(3), timestamp: 130, parentHash: hashOf(2) }
        : header,
  });
  const node = createJsonRpcNode({ url: server.url, ...PATIENT });
  closers.push(() => node.close());
  const clock = { now: () => NOW * 1000 };
  const network = { name: 'eth-mainnet', firstBlock: 1 };
  const search = new DateSearch({ node, clock, known: new KnownBlocks(clock, 500), network });
  await expect(search.findBlockAt(115)).rejects.toMatchObject({ kind: 'missing-state' });
  expect((await search.findBlockAt(145)).number).toBe(4);
});

describe('a date near the head', () => {
  const onBranch = (header: HeaderFields, branch: number, since = 1): HeaderFields => {
    const hashAt = (number: number): string => hashOf(number, number < since ? 1 : branch);
    const parentHash = header.number === 0 ? header.parentHash : hashAt(header.number - 1);
    return { ...header, hash: hashAt(header.number), parentHash };
  };

  it.each([null, 0])(
    'is found on the new chain when the head is another by the second request (finalized: %s)',
    async (finalized) => {
      const server = await serve({
        times: [100, 112, 124],
        finalized,
        distort: (header, request) => onBranch(header, request === 1 ? 1 : 2),
      });
      expect((await searchOn(server.url).findBlockAt(113)).hash).toBe(hashOf(1, 2));
    },
  );

  it('is not searched up to a final block that the node has above its head', async () => {
    const { url } = await serve({
      times: [100, 112, 112, 112, 130, 131],
      finalized: 3,
      distort: (header, request) =>
        header.number === 3 && request === 1
          ? { number: 9, hash: hashOf(9), parentHash: hashOf(8), timestamp: 200 }
          : header,
    });
    expect((await searchOn(url).findBlockAt(112)).number).toBe(3);
  });

  it('is remembered once the block after it is final, which ends the moment', async () => {
    let [branch, now] = [1, NOW * 1000];
    const { url } = await serve({
      times: [100, 112, 112, 112, 130, 131],
      finalized: 3,
      distort: (header) => {
        const other = onBranch(header, branch, 4);
        return branch === 2 && header.number === 4 ? { ...other, timestamp: 112 } : other;
      },
    });
    const search = searchOn(url, 24, { now: () => now });
    expect((await search.findBlockAt(112)).hash).toBe(hashOf(3));
    [branch, now] = [2, now + 1_000];
    expect((await search.findBlockAt(112)).hash).toBe(hashOf(4, 2));
  });
});
