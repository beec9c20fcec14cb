/** Names on a real chain under the rules of the time when ENS began: without STATICCALL, RETURNDATASIZE and REVERT. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { startAnvil, type Anvil } from '@hindsight/devchain/anvil.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { namehash } from 'ethers';
import { moduleOf, PROGRAMS } from '../../scripts/compile-yul.ts';
import { carriedJsonRpc } from '../../test/support/carried-json-rpc.ts';
import { ETH_MAINNET, TODAYS_RULES, type Network } from '../networks.ts';
import { sendOne, type EthereumNode } from '../rpc/node.ts';
import { REVERT } from '../state/multicall/carriers/carrier.ts';
import { multicall } from '../state/multicall/multicall.ts';
import { ChainReader } from '../state/reader.ts';
import { NameResolver } from './name-resolver.ts';

const REGISTRY = `0x${'e1'.repeat(20)}`;
const EARLY: Network = {
  ...ETH_MAINNET,
  byzantiumBlock: CHAIN.story + 1_000,
  ensRegistries: [{ since: CHAIN.story, address: REGISTRY }],
};
/** Answers with the word in storage that its argument names: `resolver(node)` and `addr(node)` alike. */
const BOOK = '0x6004355460005260206000f3';
const word = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;

/** Resolvers, by the name that each is in charge of. */
const RESOLVERS: Readonly<Record<string, { code: string; word?: string }>> = {
  'right.eth': { code: BOOK, word: word(HOLDERS.alice) },
  'zero.eth': { code: BOOK },
  'large.eth': { code: BOOK, word: `0x01${'00'.repeat(11)}${HOLDERS.alice.slice(2)}` },
  'nothing.eth': { code: '0x00' },
  'empty.eth': { code: '0x' },
  /** One byte less than a word. */
  'short.eth': { code: '0x60043554600052601f6000f3', word: word(HOLDERS.alice) },
  /** An invalid instruction: as contracts failed before REVERT. */
  'fails.eth': { code: '0xfe' },
  /** Loops until its gas is used up. */
  'burns.eth': { code: '0x5b600056' },
};

let chain: Anvil;
let node: EthereumNode;
let requests = 0;

beforeAll(async () => {
  chain = await startAnvil({ host: '127.0.0.1', port: 0, log: () => undefined, hardfork: 'tangerine' });
  const direct = carriedJsonRpc({ url: chain.url });
  node = {
    ...direct,
    send(calls, options) {
      requests += 1;
      return direct.send(calls, options);
    },
  };
  const store = (at: string, slot: string, value: string): Promise<unknown> =>
    sendOne(node, 'anvil_setStorageAt', [at, slot, value]);
  await sendOne(node, 'anvil_setCode', [REGISTRY, BOOK]);
  for (const [i, [name, resolver]] of Object.entries(RESOLVERS).entries()) {
    const address = `0x${(0xaa00 + i).toString(16).padStart(40, '0')}`;
    await store(REGISTRY, namehash(name), word(address));
    await sendOne(node, 'anvil_setCode', [address, resolver.code]);
    if (resolver.word !== undefined) await store(address, namehash(name), resolver.word);
  }
  await store(REGISTRY, namehash('larger.eth'), `0x${'ff'.repeat(32)}`);
  await sendOne(node, 'anvil_setBalance', [HOLDERS.alice, '0x1234']);
  await sendOne(node, 'anvil_mine', ['0x64']);
});
afterAll(async () => {
  await node.close();
  await chain.stop();
});

function open(): { reader: ChainReader; names: NameResolver } {
  const reader = new ChainReader({ node, network: EARLY, clock: { now: () => Date.now() } });
  return { reader, names: new NameResolver({ reader, network: EARLY }) };
}

describe('a name before Byzantium', () => {
  it('runs the program that its source compiles to', async () => {
    expect(await readFile(PROGRAMS.name.module, 'utf8')).toBe(moduleOf(PROGRAMS.name));
  });

  it('is resolved on a chain that cannot run the multicall', async () => {
    const items = [{ kind: 'call', target: REGISTRY, data: '0x', gas: 1_000, maxBytes: 0 }] as const;
    const params = REVERT.params(multicall(items, 'latest').run!, 'latest', TODAYS_RULES);
    await expect(sendOne(node, 'eth_call', params)).rejects.toMatchObject({ kind: 'reverted' });
  });

  it.each([CHAIN.story + 5, CHAIN.story + 30])(
    'costs one request, and one more for an amount, at block %i',
    async (height) => {
      const { reader, names } = open();
      requests = 0;
      const { address, block } = await names.resolve('right.eth', height);
      const { results } = await reader.read(block, [{ kind: 'account', target: address! }]);
      expect([address, block.number, requests]).toEqual([HOLDERS.alice, height, 2]);
      expect(results[0]).toMatchObject({ status: 'account' });
    },
  );

  it.each(['unregistered.eth', 'larger.eth', 'below.right.eth', ...Object.keys(RESOLVERS).slice(1)])(
    '%s points nowhere',
    async (name) => {
      expect((await open().names.resolve(name, CHAIN.story + 100)).address).toBeNull();
    },
  );
});
