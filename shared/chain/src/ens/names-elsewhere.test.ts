/** Names of networks without a registry: ENSIP-11 and ENSIP-19, at the registry's block of that time. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { Interface, ZeroAddress } from 'ethers';
import { ANY_CHAIN as ANY, ETHEREUM, nameCoins } from '../../test/ens/support/coin-names.ts';
import { Registrar } from '../../test/ens/support/registrar.ts';
import { carriedJsonRpc } from '../../test/support/carried-json-rpc.ts';
import { recorded, type RecordedNode } from '../../test/support/recorded-node.ts';
import { DateSearch } from '../dates/date-search.ts';
import { sendOne } from '../rpc/node.ts';
import { ETH_MAINNET, NETWORKS } from '../networks.ts';
import type { Block } from '../state/block.ts';
import { KnownBlocks } from '../state/known-blocks.ts';
import { ChainReader } from '../state/reader.ts';
import { NameResolver, type ResolvedName } from './name-resolver.ts';
import { NamesElsewhere } from './names-elsewhere.ts';

const SCRIPTED = new Interface(['function script(bytes4, bool, uint256, bytes)']);
const { alice, bob, carol } = HOLDERS;
const ON_BASE = ANY + 8_453;
const BASE = NETWORKS.get('base-mainnet')!;
const clock = { now: () => Date.now() };

let chain: Devchain;
let node: RecordedNode;
let registrar: Registrar;

beforeAll(async () => {
  chain = await startDevchain();
  node = recorded(carriedJsonRpc({ url: chain.url }));
  registrar = new Registrar(chain.url);
});
afterAll(async () => {
  await registrar.close();
  await node.close();
  await chain.stop();
});

interface Given {
  readonly chainId?: number;
  readonly now?: number;
}

/** Names of a network whose blocks are given, so that only their time counts. */
function open({ chainId = BASE.chainId, now }: Given = {}): NamesElsewhere {
  node.sent.length = 0;
  const known = new KnownBlocks(clock);
  const at = now === undefined ? clock : { now: () => now * 1_000 };
  const deps = { node, network: ETH_MAINNET, clock: at, known };
  const reader = new ChainReader(deps);
  const names = new NameResolver({ reader, network: ETH_MAINNET });
  const registry = { network: ETH_MAINNET, reader, names, dates: new DateSearch(deps) };
  const network = { ...BASE, chainId };
  return new NamesElsewhere({
    network,
    reader: new ChainReader({ node, network, clock }),
    registry,
    clock: at,
  });
}

function blockAt(timestamp: number): Block {
  const hash = `0x${'5'.repeat(64)}`;
  return { number: 7_000, hash, parentHash: hash, timestamp };
}

async function head(): Promise<Block> {
  return new ChainReader({ node, network: ETH_MAINNET, clock }).findBlock('latest');
}

/** Registers a name with addresses by coin type. @returns the block from which on it has them */
async function name(text: string, coins: Readonly<Record<number, string>>, extended = false): Promise<Block> {
  await nameCoins(registrar, text, coins, extended);
  return head();
}

const resolve = async (text: string, given: Given = {}): Promise<ResolvedName> =>
  open(given).resolve(text, blockAt((await head()).timestamp));

describe('the address of a name', () => {
  it.each([
    [
      'own',
      'the one for the network, before the one for any',
      { [ON_BASE]: alice, [ANY]: bob, [ETHEREUM]: carol },
      alice,
    ],
    ['any', 'the one for any network, where it has none for this', { [ANY]: bob, [ETHEREUM]: carol }, bob],
    [
      'only',
      'none, where only Ethereum’s is set: it may have another owner here',
      { [ETHEREUM]: carol },
      null,
    ],
    ['zero', 'none, where the one for the network is zero', { [ON_BASE]: ZeroAddress, [ANY]: bob }, null],
    ['short', 'none, where the one for the network is no address', { [ON_BASE]: '0x1234', [ANY]: bob }, null],
  ])('of %s.eth is %s', async (label, _what, coins, expected) => {
    for (const extended of [false, true]) {
      const own = `${label}${extended ? '-extended' : ''}.eth`;
      await name(own, coins, extended);
      expect((await resolve(own)).address).toBe(expected);
      expect((await resolve(`below.${own}`)).address).toBe(extended ? expected : null);
    }
  });

  it('is another one on another network', async () => {
    await name('both.eth', { [ON_BASE]: alice, [ANY + 10]: carol, [ANY]: bob });
    const on = async (chainId: number) => (await resolve('both.eth', { chainId })).address;
    expect([await on(8_453), await on(10), await on(137)]).toEqual([alice, carol, bob]);
  });

  it('is the one for any where the chain id is too large for a coin type', async () => {
    await name('large.eth', { [ANY]: bob });
    expect((await resolve('large.eth', { chainId: 2 ** 31 + 5 })).address).toBe(bob);
  });

  it('is asked for where the resolver reverts for coin types that it does not know', async () => {
    const resolver = await registrar.deploy('ScriptedResolver');
    await registrar.register('reverts.eth', resolver);
    await registrar.call(resolver, SCRIPTED.encodeFunctionData('script', ['0xf1cb7e06', true, 0, '0x']));
    expect((await resolve('reverts.eth')).address).toBeNull();
  });

  it('is refused where it is kept off-chain and gateways are off', async () => {
    await expect(resolve('offchain.eth')).rejects.toMatchObject({ name: 'OffchainName' });
  });
});

describe('the time of a name', () => {
  it('is the last block of the registry at or before the network’s, which the answer names', async () => {
    const before = await head();
    const since = await name('timed.eth', { [ON_BASE]: alice });
    const at = (time: number) => open().resolve('timed.eth', blockAt(time));
    expect((await at(before.timestamp)).address).toBeNull();
    expect((await at(since.timestamp - 1)).address).toBeNull();
    for (const time of [since.timestamp, since.timestamp + 1])
      expect(await at(time)).toMatchObject({
        address: alice,
        block: { number: 7_000, timestamp: time },
        registered: { network: { name: 'eth-mainnet' }, block: since },
      });
  });

  it('is for good once the registry’s next block is final, which ends the moment', async () => {
    const second = await new ChainReader({ node, network: ETH_MAINNET, clock }).findBlock(CHAIN.story + 1);
    const { registered } = await open().resolve('alice.eth', blockAt(second.timestamp));
    expect(registered).toMatchObject({ finalized: true, lasting: true, block: second });
    expect((await resolve('alice.eth')).registered).toMatchObject({ finalized: false, lasting: false });
    const { timestamp } = (await sendOne(node, 'eth_getBlockByNumber', ['finalized', false])) as {
      timestamp: string;
    };
    const last = await open().resolve('alice.eth', blockAt(Number(timestamp)));
    expect(last.registered).toMatchObject({ finalized: true, lasting: false });
  });

  it('is the registry’s newest block where the network’s clock is ahead', async () => {
    const { number, timestamp } = await head();
    const ahead = open({ now: timestamp + 1 });
    expect((await ahead.resolve('timed.eth', blockAt(timestamp + 30))).registered?.block.number).toBe(number);
  });

  it('is refused before the registry’s first block', async () => {
    await expect(open().resolve('timed.eth', blockAt(CHAIN.genesisTime - 1))).rejects.toThrow(
      'base-mainnet has no names here: eth-mainnet had no block at the time of block 7000; expected an address',
    );
  });

  it('is looked for only where the text can be a name', async () => {
    await expect(open().resolve('a b.eth', 'latest')).rejects.toMatchObject({ name: 'UnusableName' });
    expect(node.sent).toEqual([]);
  });
});
