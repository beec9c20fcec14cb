/** Searches for the blocks that spent nonces, on a chain whose Permit2 is the real one: what they find, and what they ask for it. */
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { startAlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ask, askAll } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { describeOnInstalled } from '@hindsight/tools/servers/suite.ts';
import { getAddress, id, toBeHex, Wallet } from 'ethers';
import { createNodeNonces } from '../src/adapters/node-nonces.ts';
import type { NonceSearch } from '../src/ports.ts';
import { recordOf } from './adapters/order-stores.contract.ts';
import { termsOf } from '../src/domain/ended-state.ts';
import { deployPermit2, invalidation } from './support/fills.ts';

const swapper = new Wallet(id('swaps')).address;
const signal = new AbortController().signal;
const COUNT = 200;

await describeOnInstalled('searches of nonces', { name: 'uniswapx-sdk', env: process.env }, (sdkFolder) => {
  let chain: Devchain;
  let node: EthereumNode;
  let requests = 0;
  /** Blocks that spent the nonces, by nonce. */
  const spentAt: number[] = [];
  let before: number;

  beforeAll(async () => {
    chain = await startDevchain();
    const real = carriedJsonRpc({ url: chain.url, timeoutMs: 60_000 });
    node = {
      ...real,
      send: (...question) => {
        requests += 1;
        return real.send(...question);
      },
    };
    await deployPermit2(chain.url, sdkFolder, getAddress(HOLDERS.market));
    await ask(chain.url, 'anvil_impersonateAccount', swapper);
    before = await height();
    for (let n = 0; n < COUNT; n++) {
      const call = { from: swapper, ...invalidation(BigInt(n)), gas: '0x186a0', gasPrice: '0x0' };
      await askAll(chain.url, [['eth_sendTransaction', call]]);
      await mine(chain.url, {});
      spentAt.push(await height());
      await ask(chain.url, 'anvil_mine', toBeHex(1 + (n % 9)), '0xc');
    }
    await ask(chain.url, 'anvil_mine', '0x40', '0xc');
  });
  afterAll(async () => {
    await node.close();
    await chain.stop();
  });

  async function height(): Promise<number> {
    return Number(await ask(chain.url, 'eth_blockNumber'));
  }

  function searchesOf(nonces: readonly number[]): NonceSearch[] {
    return nonces.map((nonce) => {
      const { order } = recordOf(1);
      const record = recordOf(1, { order: { ...order, swapper, nonce: String(nonce) } });
      return { order: termsOf(record), clearAt: nonce % 2 === 0 ? before : null };
    });
  }

  async function find(nonces: readonly number[], of = node) {
    const nonceReader = createNodeNonces({ node: of, network: ETH_MAINNET }, { now: () => Date.now() });
    const { number } = (await ask(chain.url, 'eth_getBlockByNumber', 'finalized', false)) as {
      number: string;
    };
    const set = (await nonceReader.blocks([Number(number)], signal)).get(Number(number));
    requests = 0;
    const found = new Map<number, { block: number; owners: number } | undefined>();
    for await (const { at, bit } of nonceReader.whenSet(searchesOf(nonces), set!, signal))
      found.set(nonces[at]!, bit?.isSet ? { block: bit.block.number, owners: bit.logs.length } : undefined);
    return { found, requests };
  }

  it('are not told without the events of a block, where a node took too long for them', async () => {
    const now = performance.now.bind(performance);
    let ahead = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    const late: EthereumNode = {
      ...node,
      send: async (...question) => {
        if (!question[0].some(({ method }) => method === 'eth_getLogs')) return node.send(...question);
        ahead = 60_000;
        throw new NodeError('timeout', 'it took too long');
      },
    };
    await expect(find([117], late)).rejects.toMatchObject({ kind: 'timeout' });
    clock.mockRestore();
  });

  it('say nothing of a nonce where no node has the state', async () => {
    const pruned = await startAlteredNode(chain.url);
    const at = carriedJsonRpc({ url: pruned.url, timeoutMs: 60_000 });
    pruned.alter((method, result) =>
      method === 'eth_call' ? new Error('missing trie node 1234 (path )') : result,
    );
    const nonceReader = createNodeNonces({ node: at, network: ETH_MAINNET }, { now: () => Date.now() });
    const block = (await nonceReader.blocks([before], signal)).get(before)!;
    const [{ order }] = searchesOf([117]) as [NonceSearch];
    await expect(nonceReader.areSet(block, [order], signal)).rejects.toMatchObject({ kind: 'missing-state' });
    expect((await find([117], at)).found).toEqual(new Map([[117, undefined]]));
    await at.close();
    await pruned.close();
  });

  it('find each block with its events; 200 of them take less than 20 times the requests of one', async () => {
    const nonces = Array.from({ length: COUNT }, (_, n) => n);
    const one = await find([117]);
    expect(one.found.get(117)).toEqual({ block: spentAt[117], owners: 1 });
    const all = await find(nonces);
    expect(nonces.map((nonce) => all.found.get(nonce))).toEqual(
      spentAt.map((block) => ({ block, owners: 1 })),
    );
    expect(all.requests).toBeLessThan(COUNT);
    expect(all.requests).toBeLessThan(20 * one.requests);
  });
});
