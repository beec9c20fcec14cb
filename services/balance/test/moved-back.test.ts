/** A chain whose head moves back, as a development chain's does when it is reverted. */
import { expect, it } from '@jest/globals';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnOwnDevchain } from './support/on-devchain.ts';
import type { RunningBalance } from './support/run-balance.ts';

/** Time for which the chain is taken to be as high as the highest block met. */
const BELIEVED_MS = 60_000;

let ahead = 0;
const clock: Clock = { now: () => Date.now() + ahead };
const balance = forAllTests(() => runOnOwnDevchain({ clock }), 'stop');

it('a height that the chain has no longer is a 404 that names the head', async () => {
  const newest = CHAIN.head + 3;
  const ask = (): ReturnType<RunningBalance['ask']> =>
    balance.ask(`/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}&block_height=${newest}`);
  const snapshot = await askNode(balance.devchain.url, 'evm_snapshot');
  for (let height = CHAIN.head; height < newest; height++) await mine(balance.devchain.url);
  expect((await balance.ask(`/v1/eth-mainnet/balance/native?holder=${HOLDERS.alice}`)).body).toMatchObject({
    checked_at_block: newest,
  });
  await askNode(balance.devchain.url, 'evm_revert', snapshot);
  // Until then a node without the block is behind.
  expect((await ask()).body).toMatchObject({ code: 'block_unavailable' });
  ahead = BELIEVED_MS;
  await until('the node is believed', async () => (await ask()).status === 404);
  expect((await ask()).body.message).toBe(
    `block_height: block ${newest} does not exist yet; the latest block is ${CHAIN.head}`,
  );
});

it('a block that was just reorganised away is a 404 by its hash, whatever is remembered of it', async () => {
  const { alice } = HOLDERS;
  const remember = async (): Promise<string> => {
    const { body } = await balance.ask(`/v1/eth-mainnet/balance/native?holder=${alice}`);
    return body.block_hash as string;
  };
  const paths = [
    'block?',
    `balance/native?holder=${alice}&`,
    `portfolio?holder=${alice}&`,
    `allowance/list?owner=${alice}&`,
  ];
  for (const path of paths) {
    const snapshot = await askNode(balance.devchain.url, 'evm_snapshot');
    await mine(balance.devchain.url);
    const head = (await askNode(balance.devchain.url, 'eth_getBlockByNumber', 'latest', false)) as {
      hash: string;
      timestamp: string;
    };
    await until('the block is remembered', async () => (await remember()) === head.hash);
    await askNode(balance.devchain.url, 'evm_revert', snapshot);
    const late = Number(head.timestamp) + 1;
    await mine(balance.devchain.url, { timestamp: late });
    await mine(balance.devchain.url);
    const { status, body } = await balance.ask(`/v1/eth-mainnet/${path}block_hash=${head.hash}`);
    expect([path, status, body.code]).toEqual([path, 404, 'block_not_canonical']);
  }
});
