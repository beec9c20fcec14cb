/** A reorganisation while changes are being searched: all of an answer is of one chain. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startBalancer, type Balancer } from '@hindsight/chain/test/support/lagging-nodes.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const HOLDER = `0x${'5e'.repeat(20)}`;
const FROM = CHAIN.head;
const TO = FROM + 40;

const PAYMENT = { from: HOLDERS.alice, to: HOLDER, gas: '0x5208', gasPrice: '0x0' };

let devchain: Devchain;
let balancer: Balancer;
let balance: RunningBalance;
let begin: unknown;

beforeAll(async () => {
  devchain = await startDevchain();
  balancer = await startBalancer(devchain.url, [{ lag: 0, beyond: 'part' }]);
});
beforeEach(async () => {
  begin = await askNode(devchain.url, 'evm_snapshot');
  balance = await runBalance(balancer.url);
});
afterEach(async () => {
  await balance.stop();
  balancer.before = undefined;
  await askNode(devchain.url, 'evm_revert', begin);
});
afterAll(async () => {
  await balancer.close();
  await devchain.stop();
});

/** Mines to `TO`; the holder has an amount from a height on. */
async function mineTo(changedAt: number, value: string, lateBy: number): Promise<void> {
  for (let height = FROM + 1; height <= TO; height++) {
    if (height === changedAt) await askNode(devchain.url, 'eth_sendTransaction', { ...PAYMENT, value });
    await mine(devchain.url, { timestamp: CHAIN.headTime + 12 * (height - FROM) + lateBy });
  }
}

/** Mines a chain on which the holder has 1, and puts one with 2, later, in its place while that is searched. */
async function reorganiseInSearch(): Promise<{ readonly reorganised: boolean }> {
  const snapshot = await askNode(devchain.url, 'evm_snapshot');
  await mineTo(FROM + 11, '0x1', 0);
  const state = { sampled: false, reorganised: false };
  balancer.before = async (methods) => {
    if (methods.includes('eth_getTransactionCount')) state.sampled = true;
    // The ends are known to differ; where the change is, is not.
    if (!state.sampled || state.reorganised || !methods.includes('eth_getBlockByNumber')) return;
    state.reorganised = true;
    await askNode(devchain.url, 'evm_revert', snapshot);
    await mineTo(FROM + 29, '0x2', 1);
  };
  return state;
}

it('a page of changes names the chain that it is of, and a change where that chain has it', async () => {
  const state = await reorganiseInSearch();
  const path = `/v1/eth-mainnet/balance/changes?token_address=native&holder=${HOLDER}&from=${FROM}&to=${TO}`;
  const { status, body } = await balance.ask(path);
  expect([status, body.message, state.reorganised]).toEqual([200, undefined, true]);
  expect(body).toMatchObject({ through_block: TO, complete: false });
  expect(body.changes).toMatchObject([
    { block: FROM + 29, after_block: FROM + 28, balance_before: '0', balance_after: '2' },
  ]);
});

it('a comparison of books names one chain for its rows and for the change behind their difference', async () => {
  const state = await reorganiseInSearch();
  const rows = [FROM, TO].map((block_height) => ({ block_height, balance: '0' }));
  const books = { token_address: 'native', holder: HOLDER, rows };
  const { status, body } = await balance.ask('/v1/eth-mainnet/balance/reconcile', books);
  expect([status, body.message, state.reorganised]).toEqual([200, undefined, true]);
  const { hash } = (await askNode(devchain.url, 'eth_getBlockByNumber', 'latest', false)) as { hash: string };
  expect(body.rows).toMatchObject([{ block: FROM }, { block: TO, block_hash: hash, balance: '2' }]);
  expect(body.first_divergence).toMatchObject({
    ...{ after_block: FROM, by_block: TO, by_block_hash: hash, difference: '2', block: FROM + 29 },
  });
});
