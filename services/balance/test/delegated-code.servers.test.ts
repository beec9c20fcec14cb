/** The code of an account that delegates (EIP-7702), on a node that knows the transaction; before and after Byzantium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { startGeth, type GethServer } from '@hindsight/tools/servers/geth.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { JsonRpcProvider, keccak256, Wallet, ZeroAddress } from 'ethers';
import { runNetworks, type RunningBalance } from './support/run-balance.ts';

const BIDDER = `0x${'7702'.repeat(10)}`;
const BASE = { chainId: 1, gasLimit: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
/** The node's few blocks are before Byzantium on the one, after it on the other. */
const NETWORKS = [ETH_MAINNET, { ...ETH_MAINNET, name: 'young', byzantiumBlock: 0 }];

await describeOnServers('Code of a delegated account', { env: process.env, own: ['geth-1.17'] }, () => {
  const [payer, account] = [new Wallet(keccak256('0x01')), new Wallet(keccak256('0x02'))];
  let geth: GethServer;
  let balance: RunningBalance;

  /** Lets the account delegate, in a block of its own. @returns its height */
  async function delegate(to: string, nonce: number): Promise<number> {
    const provider = new JsonRpcProvider(geth.url, undefined, { cacheTimeout: -1 });
    try {
      const authorization = await account.authorize({ address: to, nonce, chainId: 1 });
      const transaction = { ...BASE, type: 4, to: payer.address, nonce, authorizationList: [authorization] };
      const { hash } = await payer.connect(provider).sendTransaction(transaction);
      let receipt: unknown;
      await until('it is in a block', async () => {
        receipt = await ask(geth.url, 'eth_getTransactionReceipt', hash).catch(() => null);
        return receipt !== null;
      });
      return Number((receipt as { blockNumber: string }).blockNumber);
    } finally {
      provider.destroy();
    }
  }

  let heights: { delegated: number; revoked: number };
  beforeAll(async () => {
    geth = await startGeth({ funded: [payer.address] });
    heights = { delegated: await delegate(BIDDER, 0), revoked: await delegate(ZeroAddress, 1) };
    balance = await runNetworks(NETWORKS.map((network) => ({ network, urls: [geth.url] })));
  });
  afterAll(async () => {
    await balance.stop();
    await geth.stop();
  });

  it.each(NETWORKS)('is its delegation of 23 bytes, at the blocks that have it: $name', async ({ name }) => {
    const designator = `0xef0100${BIDDER.slice(2)}`;
    for (const [height, code] of [
      [heights.delegated - 1, null],
      [heights.delegated, designator],
      [heights.revoked, null],
    ] as const) {
      const path = `/v1/${name}/code?address=${account.address}&block_height=${height}`;
      const { status, body } = await balance.ask(path);
      expect({ status, ...body }).toMatchObject({
        status: 200,
        address: account.address,
        checked_at_block: height,
        code_size: code === null ? 0 : 23,
        code_hash: code === null ? null : keccak256(code),
      });
    }
  });
});
