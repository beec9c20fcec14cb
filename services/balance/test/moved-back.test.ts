/** A chain whose head moves back, as a development chain's does when it is reverted. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

let devchain: Devchain;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await startDevchain();
  balance = await runBalance(devchain.url);
});
afterAll(async () => {
  await balance.stop();
  await devchain.stop();
});

it('a height that the chain has no longer is a 404 that names the head', async () => {
  const newest = CHAIN.head + 3;
  const ask = (): ReturnType<RunningBalance['ask']> =>
    balance.ask(`/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=${newest}`);
  const snapshot = await askNode(devchain.url, 'evm_snapshot');
  for (let height = CHAIN.head; height < newest; height++) await mine(devchain.url);
  expect((await balance.ask(`/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}`)).body).toMatchObject({
    checked_at_block: newest,
  });
  await askNode(devchain.url, 'evm_revert', snapshot);
  await until('the node is believed', async () => (await ask()).status === 404);
  expect((await ask()).body.message).toBe(
    `block_height: block ${newest} does not exist yet; the latest block is ${CHAIN.head}`,
  );
});
