import { expect, it } from '@jest/globals';
import type { Position } from '@hindsight/indexing/position.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { ALL_TOKENS } from '../domain/tracks.ts';
import {
  addressesOf,
  allAddressesOf,
  mostAheadOf,
  openQuestion,
  trackOf,
  type OpenQuestion,
  type ServedHolders,
} from './indexed-question.ts';

const [TOKEN, HOLDER] = [`0x${'1a'.repeat(20)}`, `0x${'2b'.repeat(20)}`];
const question = {
  asset: { token: TOKEN, hash: '0x', id: undefined, owner: undefined, facts: undefined },
  block: { number: 7 },
  index: { from_block: 3, to_block: 9, complete: true },
  track: TOKEN,
  newer: [],
} as unknown as OpenQuestion;

/** The ways of reading, of an index that is at this position by the time it is read. */
function readAt(position: Position | null) {
  const index = {
    positions: async () => [position],
    async *holders() {
      yield position === null ? [] : [HOLDER];
    },
  };
  const network = { index } as unknown as ServedHolders;
  const all = async () => (await Array.fromAsync(allAddressesOf(network, question, 10))).flat();
  return [addressesOf(network, question, { after: undefined, limit: 10 }), all()];
}

it.each<[string, Position | null, boolean]>([
  ['stays', { from: 3, number: 9, hash: '0x9' }, true],
  ['grows at both ends', { from: 0, number: 12, hash: '0xc' }, true],
  ['is removed', null, false],
  ['begins again from a later block', { from: 5, number: 9, hash: '0x9' }, false],
  ['begins again', { from: 3, number: 8, hash: '0x8' }, false],
])('holders of a token whose track %s while it is read', async (_what, position, isAnswered) => {
  for (const read of await Promise.allSettled(readAt(position)))
    expect(read).toMatchObject(
      isAnswered
        ? { status: 'fulfilled', value: [HOLDER] }
        : { status: 'rejected', reason: { code: 'index_behind', statusCode: 503 } },
    );
});

it.each([
  ['eth-mainnet', 2_000],
  // Final within half an hour, at four blocks a second.
  ['arb-mainnet', 7_200],
  // Of one's own, such as Linea: final hours later, at a block every two seconds.
  ['own-chain', 20_000],
])('a block of %s is answered up to %d blocks after its index, at the least', async (name, ahead) => {
  const network = { mostAhead: mostAheadOf(NETWORKS.get(name) ?? {}) };
  const openAt = (number: number): Promise<OpenQuestion> => {
    const served = {
      ...network,
      tracks: [TOKEN],
      ready: async () => undefined,
      index: { positions: async () => [{ from: 0, number: 9, hash: '0x9' }] },
      chain: { has: async () => true },
      recent: { find: async () => [HOLDER] },
      balances: { block: async () => ({ number, hash: '0x' }), hadNone: async () => true },
    } as unknown as ServedHolders;
    const asked = { token: TOKEN, id: undefined, when: new URLSearchParams() };
    return openQuestion(served, asked, new AbortController().signal);
  };
  expect(await openAt(9 + ahead)).toMatchObject({ newer: [HOLDER] });
  await expect(openAt(9 + network.mostAhead + 1)).rejects.toMatchObject({ code: 'index_behind' });
});

it('a token is read of its own track or of that of all tokens, whichever begins earlier and has caught up', async () => {
  const isOwn = async (own: readonly [from: number, to: number] | null): Promise<boolean> => {
    const positions = [own, [40, 90]].map((one) => one && { from: one[0], number: one[1], hash: '0x' });
    const index = { positions: async () => positions };
    const network = { mostAhead: 10, tracks: [ALL_TOKENS, TOKEN], index } as unknown as ServedHolders;
    return (await trackOf(network, TOKEN)) === TOKEN;
  };
  const earlier = [5, 79, 80, 95].map((to) => isOwn([0, to]));
  expect(await Promise.all([isOwn(null), ...earlier])).toEqual([false, false, false, true, true]);
  const later = [79, 90, 100, 101].map((to) => isOwn([41, to]));
  expect(await Promise.all([isOwn([40, 90]), ...later])).toEqual([true, false, false, false, true]);
});
