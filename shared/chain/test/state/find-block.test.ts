/** Blocks by height and hash, where nodes know blocks that are not of the canonical chain. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '../../src/networks.ts';
import { carriedJsonRpc } from '../support/carried-json-rpc.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { hashOf, startHeaderServer, type HeaderServer } from '../support/header-server.ts';

const SIDE_BRANCH = 2;
/** By a hash of it, the node gives the block of the chain at that height. */
const FALSE_BRANCH = 3;
const HEAD = 9;
const FINALIZED = 5;

/** The blocks that it knows by hash: those of the chain, and of a branch that was reorganised away, and is longer. */
function byHash(method: string, params: readonly unknown[]): unknown {
  if (method !== 'eth_getBlockByHash') throw new TypeError(`${method} is not asked here`);
  const hash = params[0] as string;
  const number = Number(`0x${hash.slice(3)}`);
  const named = Number(`0x${hash[2]}`);
  const branch = named === FALSE_BRANCH ? 1 : named;
  if (branch > SIDE_BRANCH || number > HEAD + 1) return null;
  const quantity = (value: number): string => `0x${value.toString(16)}`;
  const parentHash = hashOf(number - 1, branch);
  return {
    number: quantity(number),
    hash: hashOf(number, branch),
    parentHash,
    timestamp: quantity(100 + number),
  };
}

let server: HeaderServer;
let node: EthereumNode;
let reader: ChainReader;

beforeAll(async () => {
  const times = Array.from({ length: HEAD + 1 }, (_, i) => 100 + i);
  server = await startHeaderServer({
    times,
    finalized: FINALIZED,
    call: (method, params) => ({ result: byHash(method, params) }),
  });
  node = carriedJsonRpc({ url: server.url });
  // The clock stands still: the known head stays young.
  reader = new ChainReader({ node, network: ETH_MAINNET, clock: { now: () => 1_000_000 } });
});
afterAll(async () => {
  await node.close();
  await server.close();
});

const blockAt = (number: number): unknown => ({
  number,
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  timestamp: 100 + number,
});

describe('a block', () => {
  it('is found by its height, its hash and as the latest one, and asked for once', async () => {
    expect(await reader.findBlock(3)).toEqual(blockAt(3));
    expect(await reader.findBlock('latest')).toEqual(blockAt(HEAD));
    expect(await reader.findBlockByHash(hashOf(4))).toEqual(blockAt(4));
    expect(reader.isFinalized(await reader.findBlock(4))).toBe(true);
    const before = server.requests();
    await Promise.all([3, 4, 'latest' as const].map((at) => reader.findBlock(at)));
    await Promise.all([3, 4].map((height) => reader.findBlockByHash(hashOf(height))));
    expect(server.requests()).toBe(before);
    // Without finality, a block is checked each time: it may have been reorganised away.
    expect(await reader.findBlockByHash(hashOf(HEAD))).toEqual(blockAt(HEAD));
    expect(server.requests()).toBe(before + 1);
  });

  it('is asked for once by all who ask at the same moment', async () => {
    const before = server.requests();
    await Promise.all(Array.from({ length: 20 }, () => reader.findBlock(2)));
    expect(server.requests()).toBe(before + 1);
  });

  it.each([2, FINALIZED, HEAD])('that was reorganised away at height %i is not canonical', async (height) => {
    await expect(reader.findBlockByHash(hashOf(height, SIDE_BRANCH))).rejects.toMatchObject({
      name: 'NotCanonical',
      message: `${hashOf(height, SIDE_BRANCH)} is not of the canonical chain, whose block ${height} is ${hashOf(height)}`,
    });
  });

  it('that no node knows is not canonical', async () => {
    await expect(reader.findBlockByHash(hashOf(3, 7))).rejects.toMatchObject({ name: 'NotCanonical' });
  });

  it('that has another hash than the one asked for is a fault of the node', async () => {
    await expect(reader.findBlockByHash(hashOf(3, FALSE_BRANCH))).rejects.toMatchObject({
      name: 'NodeError',
      kind: 'malformed',
    });
  });

  it('that is above the head is missing: by height not there yet, by hash a fault of the node', async () => {
    await expect(reader.findBlock(HEAD + 1)).rejects.toMatchObject({ name: 'AboveHead', head: HEAD });
    await expect(reader.findBlockByHash(hashOf(HEAD + 1))).rejects.toMatchObject({ kind: 'unknown-block' });
  });
});
