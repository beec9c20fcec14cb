/** Blocks that are asked for by hash are canonical, also at nodes that do not check it themselves. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { ETH_MAINNET, type Network } from '../../src/networks.ts';
import { proveCanonical } from '../../src/pool/canonical-node.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import { ChainReader } from '../../src/state/reader.ts';
import type { Block } from '../../src/state/block.ts';
import { startAlteredNode, type AlteredNode } from '../support/altered-node.ts';
import { carriedJsonRpc } from '../support/carried-json-rpc.ts';

const NETWORK: Network = { ...ETH_MAINNET, byzantiumBlock: 0 };
const OTHER = `0x${'77'.repeat(32)}`;
const HEIGHT = CHAIN.head - 10;
const clock = { now: () => 1_000_000 };
let chain: Devchain;
let altered: AlteredNode;
let plain: EthereumNode;
let node: EthereumNode;

beforeAll(async () => {
  chain = await sharedDevchain(process.env);
});
afterAll(() => chain.stop());
beforeEach(async () => {
  altered = await startAlteredNode(chain.url);
  plain = carriedJsonRpc({ url: altered.url });
  node = proveCanonical(plain);
});
afterEach(async () => {
  await plain.close();
  await altered.close();
});

/** From now on the canonical block at a height is another one; state is answered from the old one all the same. */
function reorganise(height: number): void {
  altered.alter((method, result, params) => {
    const isIt = method === 'eth_getBlockByNumber' && Number(params[0]) === height;
    return isIt ? { ...(result as object), hash: OTHER } : result;
  });
}

const isDenied = (work: Promise<unknown>): Promise<void> =>
  expect(work).rejects.toMatchObject({ kind: 'unknown-block', message: expect.stringContaining(OTHER) });

describe('state of a block by its hash', () => {
  const item = { kind: 'wei', target: HOLDERS.alice } as const;
  const readings: [string, (reader: ChainReader, block: Block) => Promise<unknown>][] = [
    ['a multicall', (reader, block) => reader.read(block, [item])],
    ['direct calls', (reader, block) => reader.callDirectly(block, [item])],
    ['nonces', (reader, block) => reader.readNonces(HOLDERS.alice, [block])],
    [
      'many questions',
      async (reader, block) => {
        const [outcome] = await reader.readMany(block, [[item]]);
        if (outcome && 'error' in outcome) throw outcome.error;
      },
    ],
  ];

  it.each(readings)('%s: is denied once the block is not canonical', async (_what, read) => {
    const reader = new ChainReader({ node, network: NETWORK, clock });
    const block = await reader.findBlock(HEIGHT);
    await read(reader, block);
    reorganise(HEIGHT);
    await isDenied(read(reader, block));
    // The node alone says nothing of it.
    await read(new ChainReader({ node: plain, network: NETWORK, clock }), block);
  });

  it('costs no further request', async () => {
    const reader = new ChainReader({ node, network: NETWORK, clock });
    const block = await reader.findBlock(HEIGHT);
    await reader.read(block, [item]);
    const before = altered.requests;
    await reader.read(block, [item]);
    expect(altered.requests - before).toBe(1);
  });

  it('is denied of a block that no header vouches for', async () => {
    const reader = new ChainReader({ node, network: NETWORK, clock });
    const block = await reader.findBlock(HEIGHT);
    altered.alter((method, result) => (method === 'eth_getBlockByNumber' ? null : result));
    await expect(reader.read(block, [item])).rejects.toMatchObject({ kind: 'unknown-block' });
  });

  it('needs the height beside the hash', async () => {
    const pin = { blockHash: OTHER, requireCanonical: true };
    await expect(node.send([{ method: 'eth_getBalance', params: [HOLDERS.alice, pin] }])).rejects.toThrow(
      'without its block’s height',
    );
  });
});
