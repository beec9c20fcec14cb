/** A network that is answered from a later block on than its chain has: before it another EVM ran. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { ask } from '@hindsight/devchain/client.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { runNetworks, type RunningBalance } from './support/run-balance.ts';

const FIRST = CHAIN.story + 100;
const HOLDER = HOLDERS.alice;
let chain: Devchain;
let balance: RunningBalance;
let first: { readonly date: string; readonly before: string; readonly hashBefore: string };

beforeAll(async () => {
  chain = await sharedDevchain(process.env);
  balance = await runNetworks([{ network: { ...ETH_MAINNET, firstBlock: FIRST }, urls: [chain.url] }]);
  const header = async (height: number) =>
    (await ask(chain.url, 'eth_getBlockByNumber', `0x${height.toString(16)}`, false)) as {
      timestamp: string;
      hash: string;
    };
  const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
  const [own, parent] = await Promise.all([header(FIRST), header(FIRST - 1)]);
  const time = Number(own.timestamp);
  first = { date: iso(time), before: iso(time - 1), hashBefore: parent.hash };
});
afterAll(async () => {
  await balance.stop();
  await chain.stop();
});

describe('a block before the first that is answered', () => {
  const native = `/v1/eth-mainnet/balance/native?holder=${HOLDER}`;
  const series = `/v1/eth-mainnet/balance/series?token_address=${TOKENS.uni.address}&holder=${HOLDER}`;
  const from = `the first that eth-mainnet is answered from`;

  it.each([
    [
      'a height',
      () => `${native}&block_height=${FIRST - 1}`,
      () => `block_height: block ${FIRST - 1} is before block ${FIRST}, ${from}`,
    ],
    [
      'height 0',
      () => `${native}&block_height=0`,
      () => `block_height: block 0 is before block ${FIRST}, ${from}`,
    ],
    [
      'a hash',
      () => `${native}&block_hash=${first.hashBefore}`,
      () => `block_hash: block ${FIRST - 1} is before block ${FIRST}, ${from}`,
    ],
    [
      'a date',
      () => `${native}&date=${first.before}`,
      () => `date: ${first.before} is before block ${FIRST} of ${first.date}, ${from}`,
    ],
    [
      'a header alone',
      () => `/v1/eth-mainnet/block?block_height=3`,
      () => `block_height: block 3 is before block ${FIRST}, ${from}`,
    ],
    [
      'a series of heights',
      () => `${series}&from=${FIRST - 2}&to=${FIRST + 2}&step=1`,
      () => `from: block ${FIRST - 2} is before block ${FIRST}, ${from}`,
    ],
    [
      'a series of dates',
      () => `${series}&from=2020-01-01&to=${first.date}&step=1M`,
      () => `from: 2020-01-01T00:00:00Z is before block ${FIRST} of ${first.date}, ${from}`,
    ],
    [
      'changes',
      () =>
        `/v1/eth-mainnet/balance/changes?token_address=${TOKENS.uni.address}&holder=${HOLDER}&from=${FIRST - 2}&to=${FIRST + 2}`,
      () => `from: block ${FIRST - 2} is before block ${FIRST}, ${from}`,
    ],
  ])('is refused by its field, with the first: %s', async (_what, path, message) => {
    const { status, body } = await balance.ask(path());
    expect([status, body.code, body.message]).toEqual([400, 'invalid_parameter', message()]);
  });

  it('is refused in a row, and the others are answered', async () => {
    const row = { token_address: TOKENS.uni.address, holder: HOLDER };
    const { body } = await balance.ask('/v1/eth-mainnet/balance/batch', [
      { ...row, block_height: FIRST - 1 },
      { ...row, block_height: CHAIN.head },
    ]);
    expect(body).toEqual([
      { error: expect.objectContaining({ code: 'invalid_parameter' }) },
      expect.objectContaining({ checked_at_block: CHAIN.head }),
    ]);
  });

  it('is none from the first on, by height and by date', async () => {
    const byHeight = await balance.ask(`${native}&block_height=${FIRST}`);
    expect([byHeight.status, byHeight.body.checked_at_block]).toEqual([200, FIRST]);
    const byDate = await balance.ask(`${native}&date=${first.date}`);
    expect([byDate.status, byDate.body.checked_at_block]).toEqual([200, FIRST]);
  });
});
