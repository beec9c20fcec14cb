/** Arbitrum's height and identity are ArbSys's: an answer that confuses the layers is refused. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { ETH_MAINNET, NETWORKS, type Network } from '../../src/networks.ts';
import { openNode } from '../../src/pool/open-node.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { startNitroNode } from '../support/nitro-node.ts';

/** On mainnet's chain id, which the anvil has. */
const ARBITRUM: Network = { ...NETWORKS.get('arb-mainnet')!, chainId: 1 };
const STANDARD: Network = { ...ETH_MAINNET, byzantiumBlock: 0 };
const PAYER = `0x${'bb'.repeat(20)}`;
const PAID = `0x${'aa'.repeat(20)}`;
const item = { kind: 'wei', target: PAID } as const;
const clock = { now: () => 1_000_000 };
const logger = createLogger({ name: 'test', level: 'silent' });
let anvils: readonly Anvil[];
let nitro: Awaited<ReturnType<typeof startNitroNode>>;
let lifecycle: Lifecycle;

/** Block after block pays one wei more. */
async function pay(url: string, wei: readonly number[]): Promise<void> {
  await ask(url, 'anvil_setBalance', PAYER, '0xde0b6b3a7640000');
  for (const value of wei) {
    const sent = { from: PAYER, to: PAID, value: `0x${value.toString(16)}`, gas: '0x5208', gasPrice: '0x0' };
    await ask(url, 'eth_sendTransaction', sent);
    await ask(url, 'evm_mine');
  }
}

beforeAll(async () => {
  anvils = await Promise.all([startEmptyChain(), startEmptyChain()]);
  await Promise.all([pay(anvils[0]!.url, [1, 2, 3]), pay(anvils[1]!.url, [1, 20, 30, 40])]);
});
afterAll(() => Promise.all(anvils.map((anvil) => anvil.stop())));
beforeEach(async () => {
  lifecycle = createLifecycle(logger);
  nitro = await startNitroNode(anvils[0]!.url);
});
afterEach(async () => {
  await lifecycle.shutdown('end of test');
  await nitro.close();
});

const open = (network: Network): Promise<EthereumNode> =>
  openNode({ urls: [nitro.url], timeoutMs: 60_000, probeMs: 60_000 }, network, { logger, lifecycle });

async function readerOf(network: Network): Promise<ChainReader> {
  return new ChainReader({ node: await open(network), network, clock });
}

const wei = async (reader: ChainReader, height: number): Promise<unknown> => {
  const { block, results } = await reader.read(height, [item]);
  return [block.number, results];
};

describe('a chain on whose EVM NUMBER is the height of the first layer', () => {
  it('is read at its own heights, by one request each', async () => {
    const reader = await readerOf(ARBITRUM);
    const head = Number(await ask(nitro.url, 'eth_blockNumber'));
    expect(head).toBeGreaterThan(500_000_000);
    for (const [back, paid] of [
      [0, 6n],
      [1, 3n],
      [2, 1n],
      [3, 0n],
    ] as const)
      expect(await wei(reader, head - back)).toEqual([head - back, [{ status: 'wei', wei: paid }]]);
    const latest = await reader.read('latest', [item]);
    expect([latest.block.number, latest.results]).toEqual([head, [{ status: 'wei', wei: 6n }]]);
    const pinned = await reader.read(await reader.findBlock(head - 1), [item, item]);
    expect(pinned.results).toEqual([item, item].map(() => ({ status: 'wei', wei: 3n })));
    for (const tag of ['pending', 'safe']) expect(nitro.asked).not.toContain(tag);
  });

  it.each(['of-first-layer', 'absent'] as const)(
    'is refused where ArbSys confuses the layers or is missing: %s',
    async (arbSys) => {
      const reader = await readerOf(ARBITRUM);
      const head = Number(await ask(nitro.url, 'eth_blockNumber'));
      await wei(reader, head - 1);
      nitro.arbSys = arbSys;
      for (const height of ['latest', head - 1, head - 2] as const)
        await expect(reader.read(height, [item])).rejects.toMatchObject({
          kind: 'malformed',
          message: expect.stringContaining('answered for another block'),
        });
    },
  );

  it('is not answered from a block that was reorganised away', async () => {
    const reader = await readerOf(ARBITRUM);
    const head = Number(await ask(nitro.url, 'eth_blockNumber'));
    const block = await reader.findBlock(head);
    expect((await reader.read(block, [item])).results).toEqual([{ status: 'wei', wei: 6n }]);
    nitro.reorganise(anvils[1]!.url);
    await expect(reader.read(block, [item])).rejects.toMatchObject({ kind: 'unknown-block' });
    expect(await wei(reader, head)).toEqual([head, [{ status: 'wei', wei: 51n }]]);
  });
});

describe('the kind of a chain, at the start of a process', () => {
  it('is refused where a network of standard EVM gets a node whose NUMBER is not its height', async () => {
    await expect(open(STANDARD)).rejects.toThrow(
      /answers from block 1\d+ in the EVM where its header says 50\d+: it is of another kind than eth-mainnet/,
    );
  });

  it('is refused where ArbSys does not know the height', async () => {
    nitro.arbSys = 'absent';
    await expect(open(ARBITRUM)).rejects.toThrow(/ArbSys does not name the block/);
  });
});
