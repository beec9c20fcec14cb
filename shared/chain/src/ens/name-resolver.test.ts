import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, ENS_NAMES, HOLDERS, LANDMARKS } from '@hindsight/devchain/world.ts';
import { AbiCoder, dnsEncode, getAddress, keccak256 } from 'ethers';
import { carriedJsonRpc } from '../../test/support/carried-json-rpc.ts';
import { recorded, type RecordedNode } from '../../test/support/recorded-node.ts';
import { NETWORKS, type Network } from '../networks.ts';
import { ChainReader } from '../state/reader.ts';
import { NameResolver } from './name-resolver.ts';
import { Registrar } from '../../test/ens/support/registrar.ts';

const MAINNET = NETWORKS.get('eth-mainnet')!;
const { ledger } = buildPlan();
const ONCHAIN_NAMES = ENS_NAMES.filter((name) => name !== 'offchain.eth');

let chain: Devchain;
let node: RecordedNode;
beforeAll(async () => {
  chain = await startDevchain();
  node = recorded(carriedJsonRpc({ url: chain.url }));
});
afterAll(async () => {
  await node.close();
  await chain.stop();
});

function fresh(network: Network = MAINNET): NameResolver {
  node.sent.length = 0;
  const reader = new ChainReader({ node, network, clock: { now: () => Date.now() } });
  return new NameResolver({ reader, network });
}

describe('on a network without a registry', () => {
  const { ensRegistries: _, ...withoutNames } = MAINNET;

  it.each(['alice.eth', 'not..a name'])(
    '%s is refused with the reason, and no node is asked',
    async (name) => {
      const names = fresh({ ...withoutNames, name: 'base-mainnet' });
      await expect(names.resolve(name, 'latest')).rejects.toThrow(
        'base-mainnet has no names here: they live on Ethereum, and this server has no Ethereum node; expected an address',
      );
      expect(node.sent).toEqual([]);
    },
  );
});

describe('a name at a height', () => {
  it('points where the ledger has it, before and after each change and in between', async () => {
    const names = fresh();
    const pointers = (block: number): string =>
      ONCHAIN_NAMES.map((name) => ledger.nameAt(name, block)).join();
    const all = Array.from({ length: CHAIN.head - CHAIN.story + 1 }, (_, i) => CHAIN.story + i);
    const changed = all.slice(1).filter((block) => pointers(block) !== pointers(block - 1));
    expect(changed.length).toBeGreaterThan(3);
    const asked = all.filter(
      (block, i) => i % 10 === 0 || changed.includes(block) || changed.includes(block + 1),
    );
    for (const block of asked) {
      const found = await Promise.all(ONCHAIN_NAMES.map((name) => names.resolve(name, block)));
      expect(found.map(({ address, name }) => [block, name, address])).toEqual(
        ONCHAIN_NAMES.map((name) => [block, name, ledger.nameAt(name, block)]),
      );
    }
  });

  it('is found at the latest block of a chain from before Byzantium, also by several at once', async () => {
    const names = fresh({ ...MAINNET, byzantiumBlock: CHAIN.head + 1 });
    const at = (name: string): unknown => names.resolve(name, 'latest').then(({ address }) => address);
    const together = await Promise.all(['alice.eth', 'treasury.eth'].map(at));
    const found = [...together, await at('bob.eth')];
    expect(found).toEqual(
      ['alice.eth', 'treasury.eth', 'bob.eth'].map((name) => ledger.nameAt(name, CHAIN.head)),
    );
  });

  it('takes one request, and none the second time', async () => {
    const names = fresh();
    const first = await names.resolve('treasury.eth', LANDMARKS.treasuryMoves - 1);
    expect(first).toMatchObject({
      address: HOLDERS.treasury,
      offchain: false,
      finalized: true,
      block: { number: LANDMARKS.treasuryMoves - 1 },
    });
    expect(node.sent).toHaveLength(1);
    expect(await names.resolve('Treasury.ETH', LANDMARKS.treasuryMoves - 1)).toEqual(first);
    expect(await names.resolve('treasury.eth', first.block)).toEqual(first);
    expect(node.sent).toHaveLength(1);
  });

  it('leaves one request for the balance', async () => {
    const reader = new ChainReader({ node, network: MAINNET, clock: { now: () => Date.now() } });
    node.sent.length = 0;
    const names = new NameResolver({ reader, network: MAINNET });
    const { block, address } = await names.resolve('treasury.eth', LANDMARKS.treasuryMoves);
    const { results } = await reader.read(block, [{ kind: 'account', target: address! }]);
    expect(results[0]).toMatchObject({ wei: ledger.nativeAt(HOLDERS.vault, LANDMARKS.treasuryMoves) });
    expect(node.sent).toHaveLength(2);
  });

  it('is that of the latest block by default', async () => {
    const found = await fresh().resolve('treasury.eth', 'latest');
    expect(found).toMatchObject({
      address: HOLDERS.vault,
      finalized: false,
      block: { hash: CHAIN.headHash },
    });
  });

  it('above the head is an error', async () => {
    await expect(fresh().resolve('alice.eth', CHAIN.head + 1)).rejects.toMatchObject({ name: 'AboveHead' });
  });

  it('is refused before any node is asked if it cannot be a name', async () => {
    const names = fresh();
    await expect(names.resolve('a b.eth', 'latest')).rejects.toMatchObject({ name: 'UnusableName' });
    expect(node.sent).toHaveLength(0);
  });

  it.each(['unregistered.eth', 'child.bob.eth', 'alice.com', 'a.b.c.d.e.f.g.h.alice.eth'])(
    '%s points nowhere',
    async (name) => {
      expect((await fresh().resolve(name, 'latest')).address).toBeNull();
    },
  );

  it('is looked up at the registry of that time', async () => {
    const moved: Network = {
      ...MAINNET,
      ensRegistries: [
        { since: LANDMARKS.treasuryMoves, address: CONTRACTS.ensRegistry },
        { since: LANDMARKS.bobName, address: CONTRACTS.counter },
      ],
    };
    const at = async (block: number) => (await fresh(moved).resolve('treasury.eth', block)).address;
    expect([await at(LANDMARKS.treasuryMoves), await at(LANDMARKS.treasuryMoves - 1)]).toEqual([
      HOLDERS.vault,
      null,
    ]);
  });

  it('takes one request even under rules too old for the multicall', async () => {
    const old: Network = { ...MAINNET, byzantiumBlock: LANDMARKS.bobNameRemoved };
    for (const block of [LANDMARKS.bobName - 1, LANDMARKS.bobName, LANDMARKS.bobNameRemoved - 1]) {
      expect((await fresh(old).resolve('bob.eth', block)).address).toBe(ledger.nameAt('bob.eth', block));
      expect(node.sent).toHaveLength(1);
    }
  });

  it('is an error if it is kept off-chain and gateways are off', async () => {
    for (const name of ['offchain.eth', 'below.offchain.eth']) {
      await expect(fresh().resolve(name, 'latest')).rejects.toMatchObject({
        name: 'OffchainName',
        message: `${name} is kept off-chain (CCIP-read), which is off`,
      });
    }
    expect((await fresh().resolve('offchain.eth', LANDMARKS.offchainName - 1)).address).toBeNull();
  });
});

describe('a resolver', () => {
  const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`;
  const WORD = word(BigInt(HOLDERS.alice));
  const script = loadArtifact('ScriptedResolver').interface;
  let registrar: Registrar;
  let scripted: string;
  beforeAll(async () => {
    registrar = new Registrar(chain.url);
    scripted = await registrar.deploy('ScriptedResolver');
    await registrar.register('scripted.eth', scripted);
  });
  afterAll(() => registrar.close());

  const answer = (selector: string, data: string, fails = false, rounds = 0): Promise<void> =>
    registrar.call(scripted, script.encodeFunctionData('script', [selector, fails, rounds, data]));
  const address = async (name: string) => (await fresh().resolve(name, 'latest')).address;
  const inBytes = (data: string): string => AbiCoder.defaultAbiCoder().encode(['bytes'], [data]);

  it.each([
    ['nothing', '0x'],
    ['too little', '0x1234'],
    ['zero', word(0n)],
    ['something larger than an address', word(1n << 160n)],
  ])('without ERC-165 that answers %s points nowhere', async (_, data) => {
    await answer('0x3b3b57de', data);
    expect(await address('scripted.eth')).toBeNull();
  });

  it('without ERC-165 that answers an address is believed', async () => {
    await answer('0x3b3b57de', WORD);
    expect(await address('scripted.eth')).toBe(HOLDERS.alice);
    expect(await address('below.scripted.eth')).toBeNull();
  });

  it('that reverts points nowhere', async () => {
    await answer('0x3b3b57de', WORD, true);
    expect(await address('scripted.eth')).toBeNull();
  });

  it('is asked once more if it needs more gas than a shared call gives', async () => {
    await answer('0x3b3b57de', WORD, false, 10_000);
    expect(await address('scripted.eth')).toBe(HOLDERS.alice);
    expect(node.sent).toHaveLength(2);
  });

  it('of the extended kind is asked accordingly, for its own name too', async () => {
    await answer('0x01ffc9a7', word(1n));
    await answer('0x3b3b57de', word(7n));
    await answer('0x9061b923', inBytes(WORD));
    expect(await address('scripted.eth')).toBe(HOLDERS.alice);
    expect(await address('a.b.scripted.eth')).toBe(HOLDERS.alice);
  });

  it.each([
    ['empty bytes', inBytes('0x')],
    ['an address without padding', inBytes(HOLDERS.alice)],
    ['an unwrapped address', WORD],
    ['an offset to nowhere', word(1n << 200n)],
    ['nothing', '0x'],
  ])('of an extended kind that answers %s points nowhere', async (_, data) => {
    await answer('0x9061b923', data);
    expect(await address('scripted.eth')).toBeNull();
  });

  it('without code points nowhere', async () => {
    await registrar.register('empty.eth', HOLDERS.alice);
    expect(await address('empty.eth')).toBeNull();
  });

  it('answers for the names below its own, unless one of them has its own resolver', async () => {
    await registrar.register('wild.eth', await registrar.deploy('WildcardResolver'));
    await registrar.register('tame.wild.eth', CONTRACTS.ensResolver);
    for (const name of ['wild.eth', 'x.wild.eth', 'a.b.c.wild.eth']) {
      const expected = getAddress(`0x${keccak256(dnsEncode(name)).slice(-40)}`);
      expect([name, await address(name)]).toEqual([name, expected]);
      expect(node.sent).toHaveLength(1);
    }
    expect(await address('tame.wild.eth')).toBeNull();
    expect(await address('below.tame.wild.eth')).toBeNull();
  });
});
