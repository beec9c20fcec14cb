import { expect, it } from '@jest/globals';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { ApiError, badRequest } from '@hindsight/kernel/errors.ts';
import type { PinnedBlock } from '../ports.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { ServedHolders } from './indexed-question.ts';
import { blocksOf, firstOf, openRange, type AskedTransfers, type Bound } from './transfer-question.ts';

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

const [TOKEN, OTHER, HOLDER] = ['1a', '2b', '3c'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];

/** A network whose tracks are indexed from these blocks on, up to the chain's end. */
function indexedFrom(froms: Readonly<Record<Track, number>>): ServedHolders {
  const tracks = Object.keys(froms);
  const { number, hash } = BLOCKS.at(-1)!;
  return {
    tracks,
    mostAhead: 0,
    ready: async () => undefined,
    chain: { has: async () => true },
    firstBlock: known,
    index: {
      positions: async (of: readonly Track[]) =>
        of.map((track) => (track in froms ? { from: froms[track], number, hash } : null)),
      blocks: async () => [{ number: 12, tokens: [TOKEN] }],
    },
    balances: { block: async () => BLOCKS.at(-1), didNotExist: async () => true },
  } as unknown as ServedHolders;
}

const OF_TOKEN = { token: TOKEN, holder: undefined };
const OPEN = { from: undefined, to: undefined, order: 'oldest', cursor: undefined } as const;
const OF_HOLDER = { token: undefined, holder: { address: HOLDER } };

it.each<[string, typeof OF_TOKEN | typeof OF_HOLDER, [before: object, after: object], boolean]>([
  ['the same index', OF_TOKEN, [{ [TOKEN]: 10 }, { [TOKEN]: 10 }], true],
  ['a token that is indexed from a later block', OF_TOKEN, [{ [TOKEN]: 10 }, { [TOKEN]: 13 }], false],
  ['a token that is indexed from an earlier block', OF_TOKEN, [{ [TOKEN]: 13 }, { [TOKEN]: 10 }], false],
  [
    'the same tokens',
    OF_HOLDER,
    [
      { [TOKEN]: 10, [OTHER]: 10 },
      { [OTHER]: 10, [TOKEN]: 10 },
    ],
    true,
  ],
  ['fewer tokens', OF_HOLDER, [{ [TOKEN]: 10, [OTHER]: 10 }, { [TOKEN]: 10 }], false],
  ['all tokens', OF_HOLDER, [{ [TOKEN]: 10 }, { [TOKEN]: 10, [ALL_TOKENS]: 10 }], false],
])('the pages of a list are of one index: %s', async (_what, question, [before, after], isAnswered) => {
  const asked: AskedTransfers = { ...question, ...OPEN };
  const { mark } = await openRange(indexedFrom(before as Record<Track, number>), asked, signal);
  const cursor = { block: 11, logIndex: 0, part: 0, to: BLOCKS.at(-1)!.hash, mark };
  const next = openRange(indexedFrom(after as Record<Track, number>), { ...asked, cursor }, signal);
  if (isAnswered) expect((await next).from).toBe(10);
  else
    await expect(next).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('the index has changed'),
    });
});

it('the transfers of an account wait for no token that is added beside all tokens', async () => {
  const network = { ...indexedFrom({ [ALL_TOKENS]: 10 }), tracks: [ALL_TOKENS, TOKEN] };
  const { index } = await openRange(network, { ...OF_HOLDER, ...OPEN }, signal);
  expect(index).toMatchObject({ from_block: 10, to_block: 16, tokens: null });
});

it('the blocks of a track that is removed while they are read are a 503', async () => {
  const asked: AskedTransfers = { ...OF_TOKEN, ...OPEN };
  const network = indexedFrom({ [TOKEN]: 10 });
  const range = await openRange(network, asked, signal);
  const most = { most: 10, signal };
  expect(await blocksOf(network, asked, range, most)).toEqual([{ number: 12, tokens: [TOKEN] }]);
  for (const changed of [{}, { [TOKEN]: 13 }])
    await expect(blocksOf(indexedFrom(changed), asked, range, most)).rejects.toMatchObject({
      code: 'index_behind',
    });
});
