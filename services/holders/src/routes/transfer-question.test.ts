import { expect, it } from '@jest/globals';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { PinnedBlock } from '../ports.ts';
import type { ServedHolders } from './indexed-question.ts';
import { firstOf, type Bound } from './transfer-question.ts';

/** Times of a chain's blocks in seconds; the first one has the height 10. */
const TIMES = [100, 101, 101, 101, 101, 103, 103];
const BLOCKS = TIMES.map((timestamp, i): PinnedBlock => {
  const at = `0x${i.toString(16).padStart(64, '0')}`;
  return { number: 10 + i, hash: at, parentHash: at, timestamp, finalized: true };
});
const { signal } = new AbortController();

const tooEarly = (): ApiError => new ApiError('no_block_at_date', 'date: it is before the first block');

/** Readers of the chain. @param early what the balance service says of an earlier moment */
function readers(early: () => ApiError, firstBlock: ServedHolders['firstBlock']) {
  const balances = {
    async block(when: URLSearchParams) {
      const seconds = Date.parse(when.get('date')!) / 1_000;
      const found = BLOCKS.findLast(({ timestamp }) => timestamp <= seconds);
      if (found === undefined) throw early();
      return found;
    },
  };
  return { balances, firstBlock } as unknown as ServedHolders;
}

const known = async () => ({ number: 10, isChains: true });
const first = (bound: Bound, early = tooEarly, firstBlock: ServedHolders['firstBlock'] = known) =>
  firstOf(readers(early, firstBlock), bound, BLOCKS.at(-1)!, signal);

it.each<[string, Bound, number]>([
  ['a height', { height: 12 }, 12],
  ['a second with several blocks', { date: 101 }, 11],
  ['a moment within that second', { date: 101, fraction: true }, 15],
  ['a second without a block', { date: 102 }, 15],
  ['the last second', { date: 103 }, 15],
  ['the time of the first block', { date: 100 }, 10],
  ['a time before the chain', { date: 99 }, 10],
])('a range from %s begins with its first block', async (_what, bound, expected) => {
  expect(await first(bound)).toBe(expected);
});

it.each([
  ['of the network that are answered', () => badRequest('date: it is before the first block')],
  ['that nodes have', () => new ApiError('state_unavailable', 'The node has no blocks before 10.')],
])('a range begins with the first of the blocks %s', async (_what, early) => {
  expect(await first({ date: 100 }, early)).toBe(10);
});

it('a range of which no node says where the chain begins is a 503', async () => {
  const away = async () => Promise.reject(new NodeError('unreachable', 'node 1 could not be reached'));
  await expect(first({ date: 99 }, tooEarly, away)).rejects.toMatchObject({
    code: 'node_unavailable',
    statusCode: 503,
    headers: { 'retry-after': '2' },
  });
});

it('a range is not begun by guess where the blocks of its second are not known', async () => {
  const overloaded = () => new ApiError('overloaded', 'Too many questions wait.');
  await expect(first({ date: 100 }, overloaded)).rejects.toMatchObject({ code: 'overloaded' });
});
