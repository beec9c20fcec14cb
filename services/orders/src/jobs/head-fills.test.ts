/** Fills in blocks that are not final, on a chain in memory that is reorganised. */
import { beforeEach, expect, it } from '@jest/globals';
import { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { SeenFill } from '@hindsight/events/orders-settled.ts';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import type { FillLog } from '../domain/order-logs.ts';
import { REACTORS } from '../domain/reactors.ts';
import { HeadFills, type HeadFillsDeps } from './head-fills.ts';

const [REACTOR] = REACTORS[1]!.Dutch_V2! as [string];
const SWAPPER = `0x${'12'.repeat(20)}`;
const { order } = recordOf(1);
const record = recordOf(1, { order: { ...order, reactor: REACTOR, swapper: SWAPPER } });
const signal = new AbortController().signal;
const clock = { now: () => 5_000_000 };

let head: number;
/** Blocks from this one on are of the second branch. */
let since: number;
let fills: readonly number[];
/** A branch that logs are read from, whatever is canonical. */
let logsOf: number | undefined;
/** The branch of the head, before the blocks up to it are read. */
let headOf: number | undefined;
let stored: { readonly id: string; readonly fill: SeenFill }[];
let read: (readonly [from: number, to: number])[];
/** Comparisons with what is stored. */
let compared: number;
let watched: HeadFills;

const branchAt = (number: number): number => (number >= since ? 2 : 1);
const hashAt = (number: number, branch = branchAt(number)): string =>
  `0x${branch}${number.toString(16).padStart(63, '0')}`;
const blockAt = (number: number) => ({
  ...{ number, hash: hashAt(number), parentHash: hashAt(number - 1), timestamp: 1_000 + number },
});
const fillAt = (block: number): FillLog => ({
  ...{ kind: 'fill', block, blockHash: hashAt(block, logsOf), transaction: hashAt(block * 100) },
  ...{ address: REACTOR.toLowerCase(), orderHash: record.payload.orderHash, swapper: SWAPPER },
  ...{ filler: `0x${'34'.repeat(20)}`, nonce: BigInt(order.nonce) },
});

beforeEach(() => {
  compared = 0;
  [head, since, fills, logsOf, headOf, stored, read] = [13, Infinity, [], undefined, undefined, [], []];
  const deps = {
    watch: {
      async *ofSwappers() {
        yield [{ record }];
      },
      async seenFilled() {
        compared += 1;
        return stored;
      },
    },
    orders: {
      settle: async (id: string, { fill }: { readonly fill?: SeenFill }) => {
        stored = stored.filter((one) => one.id !== id);
        if (fill !== undefined) stored.push({ id, fill });
        return 'changed';
      },
    },
    blocks: {
      head: async () => ({ ...blockAt(head), hash: hashAt(head, headOf) }),
      hashAt: async (number: number) => hashAt(number),
      read: async ({ from, to }: { readonly from: number; readonly to: number }) => {
        read.push([from, to]);
        const found = fills.filter((block) => block >= from && block <= to).map(fillAt);
        return { from, to, parentHash: hashAt(from - 1), hash: hashAt(to), count: found.length, found };
      },
    },
    sizer: new RangeSizer({ first: 64, max: 64, events: 1_000 }, clock),
    clock,
  };
  watched = new HeadFills(deps as unknown as HeadFillsDeps);
});

it('a fill is taken back once its block is another', async () => {
  fills = [13];
  await watched.look(blockAt(10), signal);
  expect(stored.map(({ fill }) => fill.blockHash)).toEqual([hashAt(13)]);
  [head, since, fills] = [14, 12, []];
  await watched.look(blockAt(10), signal);
  expect(stored).toEqual([]);
});

it('a log of another branch, between two blocks of this one, is not believed', async () => {
  [fills, logsOf] = [[12], 2];
  await expect(watched.look(blockAt(10), signal)).rejects.toThrow('the chain was reorganised');
  expect(stored).toEqual([]);
});

it('blocks that do not lead to the head are not believed', async () => {
  [fills, headOf] = [[12], 2];
  await expect(watched.look(blockAt(10), signal)).rejects.toThrow('the chain was reorganised');
  expect(stored).toEqual([]);
});

it('blocks are read once, and none that is final by now', async () => {
  await watched.look(blockAt(10), signal);
  head = 15;
  await watched.look(blockAt(10), signal);
  await watched.look(blockAt(10), signal);
  head = 21;
  await watched.look(blockAt(20), signal);
  expect(read).toEqual([
    [11, 13],
    [14, 15],
    [21, 21],
  ]);
  // Not for the head that was there before.
  expect(compared).toBe(3);
});

it('a node that lags takes nothing back', async () => {
  fills = [13];
  await watched.look(blockAt(10), signal);
  head = 12;
  await watched.look(blockAt(10), signal);
  expect(stored).toHaveLength(1);
});

it('a fill that comes again in another block is stored with that block', async () => {
  fills = [13];
  await watched.look(blockAt(10), signal);
  [head, since] = [14, 12];
  await watched.look(blockAt(10), signal);
  expect(stored.map(({ fill }) => fill.blockHash)).toEqual([hashAt(13, 2)]);
});

it('a fill whose block is final is no longer one of the head', async () => {
  fills = [12];
  await watched.look(blockAt(10), signal);
  expect(stored).toHaveLength(1);
  // Its end is stored by then.
  [head, stored] = [14, []];
  await watched.look(blockAt(12), signal);
  expect(stored).toEqual([]);
});
