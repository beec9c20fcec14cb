/** Addresses of a name by coin type, as a resolver of a few answers gives them: no chain is needed. */
import { describe, expect, it } from '@jest/globals';
import { AbiCoder, concat } from 'ethers';
import { ETH_MAINNET, NETWORKS } from '../networks.ts';
import { NodeError } from '../rpc/node-error.ts';
import type { Block } from '../state/block.ts';
import type { CallResult, MulticallItem } from '../state/multicall/multicall.ts';
import type { ChainReader } from '../state/reader.ts';
import { NameResolver } from './name-resolver.ts';
import { NamesElsewhere, type Registry } from './names-elsewhere.ts';
import type { AddressOf } from './questions.ts';

const ABI = AbiCoder.defaultAbiCoder();
const RESOLVER = `0x${'12'.repeat(20)}`;
const ALICE = '0x1111111111111111111111111111111111111111';
const BOB = '0x2222222222222222222222222222222222222222';
const BASE = { coinType: 0x8000_0000 + 8_453 };
const ANY = { coinType: 0x8000_0000 };
const BLOCK: Block = { number: 18_000_000, hash: '0xb1', parentHash: '0xb0', timestamp: 1_700_000_000 };

const answer = (data: string, status: 'ok' | 'failed' = 'ok'): CallResult => {
  const bytes = Buffer.from(data.slice(2), 'hex');
  return { status, data: bytes, size: bytes.length, gasUsed: 0 };
};
const none = answer('0x');
const addressWord = (address: string): CallResult => answer(ABI.encode(['address'], [address]));
const inBytes = (data: string): CallResult => answer(ABI.encode(['bytes'], [data]));
const referral = answer(
  concat([
    '0x556f1830',
    ABI.encode(
      ['address', 'string[]', 'bytes', 'bytes4', 'bytes'],
      [RESOLVER, ['https://gateway.example.com/{sender}/{data}'], '0x', '0x00000000', '0x'],
    ),
  ]),
  'failed',
);

/** A resolver of its name alone: its answers in the order in which it is asked. Counts the requests. */
function resolverOf(...answers: readonly CallResult[]) {
  const left = [...answers];
  const asked = { requests: 0 };
  const resultsOf = (items: readonly MulticallItem[]): readonly CallResult[] => {
    if (items.length === 1) return [left.shift()!];
    return items.map((_, i) => [addressWord(RESOLVER), none, none, none, none, left[0]!][i] ?? none);
  };
  const reader = {
    knownBlock: () => BLOCK,
    isFinalized: () => true,
    read: async (_at: unknown, items: readonly MulticallItem[]) => {
      asked.requests += 1;
      const results = resultsOf(items);
      if (items.length > 1) left.shift();
      return { block: BLOCK, finalized: true, results };
    },
  } as unknown as ChainReader;
  const gateways = { ask: async () => '0x', close: async () => undefined };
  return { names: new NameResolver({ reader, network: ETH_MAINNET, gateways }), asked };
}

describe('a name’s addresses', () => {
  it('are kept off-chain if the gateway said that the first is not set, whatever the chain says of the next', async () => {
    // Shared, alone, by the gateway; then of the next.
    const answers = [referral, referral, inBytes('0x'), inBytes(BOB)];
    const { names, asked } = resolverOf(...answers, ...answers);
    const resolve = () => names.resolveFor([BASE, ANY], 'alice.eth', BLOCK);
    for (let time = 0; time < 2; time++)
      expect(await resolve()).toMatchObject({ address: BOB, offchain: true });
    // Nor remembered, then: what a gateway says may change.
    expect(asked.requests).toBe(2 * answers.length);
  });

  it('are remembered by what they are the addresses of', async () => {
    const { names, asked } = resolverOf(addressWord(ALICE), inBytes(BOB));
    const at = async (wanted: AddressOf) => (await names.resolveFor([wanted], 'alice.eth', BLOCK)).address;
    for (let time = 0; time < 2; time++) expect([await at('ethereum'), await at(BASE)]).toEqual([ALICE, BOB]);
    expect(asked.requests).toBe(2);
  });

  it('are Ethereum’s alone before Byzantium: no resolver had coin types', async () => {
    const { names } = resolverOf(addressWord(ALICE), addressWord(ALICE));
    const early = ETH_MAINNET.byzantiumBlock - 1;
    const at = async (wanted: AddressOf, name: string) =>
      (await names.resolveFor([wanted], name, { ...BLOCK, number: early })).address;
    expect([await at('ethereum', 'alice.eth'), await at(BASE, 'bob.eth')]).toEqual([ALICE, null]);
  });
});

it('names of a network are not said to be unknown because a node does not answer', async () => {
  const failure = new NodeError('busy', 'not now');
  const registry = { network: ETH_MAINNET, dates: { findBlockAt: () => Promise.reject(failure) } };
  const names = new NamesElsewhere({
    network: NETWORKS.get('base-mainnet')!,
    reader: {} as ChainReader,
    registry: registry as unknown as Registry,
    clock: { now: () => 1_800_000_000_000 },
  });
  await expect(names.resolve('alice.eth', BLOCK)).rejects.toBe(failure);
});

it.each([
  [8_453, [BASE, ANY]],
  [2 ** 31 - 1, [{ coinType: 2 ** 32 - 1 }, ANY]],
  [2 ** 31, [ANY]],
])('a network of chain id %d is asked for by the coin types that it can have', async (chainId, wanted) => {
  const asked: unknown[] = [];
  const registry = {
    network: ETH_MAINNET,
    reader: { isFinalized: () => true },
    dates: { findBlockAt: async () => BLOCK },
    names: {
      resolveFor: async (given: unknown) => {
        asked.push(given);
        return {};
      },
    },
  } as unknown as Registry;
  const network = { ...NETWORKS.get('base-mainnet')!, chainId };
  const reader = { isFinalized: () => true } as unknown as ChainReader;
  const clock = { now: () => 1_800_000_000_000 };
  await new NamesElsewhere({ network, reader, registry, clock }).resolve('alice.eth', BLOCK);
  expect(asked).toEqual([wanted]);
});
