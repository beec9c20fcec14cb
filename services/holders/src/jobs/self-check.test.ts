/** The self-check beside a chain and an index that are lists: its reach, and what it reports. */
import { expect, it } from '@jest/globals';
import { RangeTooLarge, type BlockRange } from '@hindsight/chain/logs/block-range.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { Point } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import { checkTrack, type CheckedSum, type SelfCheckDeps } from './self-check.ts';

const [TOKEN, OTHER] = [`0x${'70'.repeat(20)}`, `0x${'71'.repeat(20)}`];
const [ALICE, BOB] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`];
const point = (block: number, holder = ALICE, id: bigint | null = null, token = TOKEN): Point => ({
  ...{ token, holder, id, block },
});

interface Setting {
  readonly chain?: readonly Point[];
  readonly index?: readonly Point[];
  /** First and last block of the index. */
  readonly indexed?: readonly [from: number, to: number];
  readonly track?: Track;
  readonly random?: number;
  readonly read?: (range: BlockRange) => void;
}

/** Checks a track. @returns the outcome, the ranges that were read, the sum that was asked for, and the lines of the log */
async function check(setting: Setting) {
  const { chain = [], index = chain, indexed = [100, 999], track = TOKEN, random = 0, read } = setting;
  const ranges: string[] = [];
  const lines: string[] = [];
  let summed: string | undefined;
  const isIn =
    ({ from, to }: BlockRange) =>
    ({ block }: Point): boolean =>
      block >= from && block <= to;
  const deps: SelfCheckDeps = {
    index: {
      position: async () => ({ from: indexed[0], number: indexed[1], hash: '0x' }),
      points: async ({ token, ...range }) => index.filter((one) => one.token === token).filter(isIn(range)),
    },
    logsOf: () => ({
      async read(range: BlockRange) {
        ranges.push(`${range.from}-${range.to}`);
        read?.(range);
        return { found: { points: chain.filter(isIn(range)), approvals: [] } } as never;
      },
    }),
    async sumOf(token, block): Promise<CheckedSum | null> {
      summed = `${token} ${block}`;
      return null;
    },
    logger: createLogger({
      ...{ name: 'test', level: 'info', destination: { write: (line) => void lines.push(line) } },
    }),
    random: () => random,
  };
  return { outcome: await checkTrack(deps, track, AbortSignal.timeout(60_000)), ranges, summed, lines };
}

it('compares 200 blocks of a token, or 4 of all tokens, from one at random to the last that is indexed', async () => {
  expect((await check({})).ranges).toEqual(['100-299']);
  expect((await check({ random: 0.999_999 })).ranges).toEqual(['999-999']);
  expect((await check({ track: ALL_TOKENS })).ranges).toEqual(['100-103']);
  expect((await check({ indexed: [7, 7], random: 0.5 })).ranges).toEqual(['7-7']);
});

it('asks for the sum at the last of these blocks', async () => {
  const { outcome, summed, lines } = await check({ chain: [point(100), point(299, BOB)] });
  expect(summed).toBe(`${TOKEN} 299`);
  expect(outcome).toMatchObject({ points: 2, missing: 0, surplus: 0, sum: null });
  expect(lines).toEqual([]);
});

it('takes a part of the blocks where a node has too many events in them, but at least one', async () => {
  const tooLarge = (most: number) => (range: BlockRange) => {
    if (range.to - range.from >= most) throw new RangeTooLarge(undefined, undefined);
  };
  expect((await check({ read: tooLarge(10) })).ranges).toEqual(['100-299', '100-149', '100-112', '100-103']);
  await expect(check({ read: tooLarge(0) })).rejects.toThrow(RangeTooLarge);
  await expect(
    check({
      read: () => {
        throw new Error('the node is silent');
      },
    }),
  ).rejects.toThrow('the node is silent');
});

it.each<[string, readonly Point[], readonly Point[], [missing: number, surplus: number]]>([
  ['lacks a point', [point(100), point(101)], [point(101)], [1, 0]],
  ['has a point too many', [point(101)], [point(100), point(101)], [0, 1]],
  ['has it in another block', [point(100)], [point(101)], [1, 1]],
  ['has it of another holder', [point(100)], [point(100, BOB)], [1, 1]],
  ['has it of another id', [point(100, ALICE, 1n)], [point(100, ALICE, 2n)], [1, 1]],
])('reports an index that %s', async (_what, chain, index, [missing, surplus]) => {
  const { outcome, lines } = await check({ chain, index });
  expect(outcome).toMatchObject({ missing, surplus });
  expect(lines).toEqual([expect.stringContaining('the index of holders differs from the chain')]);
});

it('compares one of the tokens that are found where all are indexed, and nothing where there is none', async () => {
  const chain = [point(100), point(101, BOB, null, OTHER)];
  const { outcome, summed } = await check({ chain, track: ALL_TOKENS, random: 0 });
  expect([outcome?.points, summed]).toEqual([1, `${TOKEN} 103`]);
  expect(await check({ track: ALL_TOKENS })).toMatchObject({ outcome: { points: 0, sum: null } });
});
