/** A reorganisation while a page of changes is being made: all of the page is of one chain. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

beforeAll(async () => {
  devchain = await startDevchain();
  balancer = await startBalancer(devchain.url, [{ lag: 0, beyond: 'part' }]);
  balance = await runBalance(balancer.url);
});
afterAll(async () => {
  await balance.stop();
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

it('names the chain that it is of, and a change where that chain has it', async () => {
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
  const path = `/v1/eth-mainnet/balance/changes?token_address=native&holder=${HOLDER}&from=${FROM}&to=${TO}`;
  const { status, body } = await balance.ask(path);
  expect([status, body.message, state.reorganised]).toEqual([200, undefined, true]);
  expect(body).toMatchObject({ through_block: TO, complete: false });
  expect(body.changes).toMatchObject([
    { block: FROM + 29, after_block: FROM + 28, balance_before: '0', balance_after: '2' },
  ]);
});
