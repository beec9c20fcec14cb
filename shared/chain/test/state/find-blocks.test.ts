/** Many blocks by their heights: several requests at once, and all of one chain. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '../../src/networks.ts';
import { createJsonRpcNode } from '../../src/rpc/json-rpc.ts';
import type { EthereumNode } from '../../src/rpc/node.ts';
import { KnownBlocks } from '../../src/state/known-blocks.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { hashOf, startHeaderServer, type HeaderServer } from '../support/header-server.ts';
import { PATIENT } from '../support/patient.ts';

const HEAD = 999;
const CLOCK = { now: () => 1_000_000 };
const HEIGHTS = Array.from({ length: 10 * 48 }, (_, i) => 1 + i);

let server: HeaderServer;
let client: EthereumNode;
afterEach(async () => {
  await client.close();
  await server.close();
});

/** @param branchOf the branch of a request's blocks */
async function open(finalized: number, branchOf: (request: number) => number = () => 1): Promise<void> {
  server = await startHeaderServer({
    times: Array.from({ length: HEAD + 1 }, (_, i) => 100 + i),
    finalized,
    distort(header, request) {
      const branch = header.number <= finalized ? 1 : branchOf(request);
      const [hash, parentHash] = [header.number, header.number - 1].map((number) => hashOf(number, branch));
      return { ...header, hash: hash!, parentHash: parentHash! };
    },
  });
  client = createJsonRpcNode({ url: server.url, ...PATIENT });
}

function readerOf(node: EthereumNode): ChainReader {
  return new ChainReader({ node, network: ETH_MAINNET, clock: CLOCK, known: new KnownBlocks(CLOCK) });
}

describe('many blocks', () => {
  it('are asked for in four requests at a time', async () => {
    await open(HEAD);
    let [most, now] = [0, 0];
    const held: (() => void)[] = [];
    // Holds requests until four are under way, or the rest, so that no speed matters.
    const node: EthereumNode = {
      ...client,
      async send(calls, options) {
        most = Math.max(most, (now += 1));
        const isLast = server.requests() + now >= 10;
        if (now === 4 || isLast) for (const release of held.splice(0)) release();
        else await new Promise<void>((resolve) => held.push(resolve));
        const outcomes = await client.send(calls, options);
        now -= 1;
        return outcomes;
      },
    };
    const found = await readerOf(node).findBlocks(HEIGHTS);
    expect(found.map(({ number, hash }) => [number, hash])).toEqual(
      HEIGHTS.map((height) => [height, hashOf(height)]),
    );
    expect([most, server.requests()]).toEqual([4, 10]);
  });
});

describe('blocks up to one that is not final', () => {
  it('are of its chain: a reorganisation in between is refused, and found again', async () => {
    await open(100, (request) => (request > 3 ? 2 : 1));
    const reader = readerOf(client);
    const tip = await reader.findBlock(HEAD);
    expect(tip.hash).toBe(hashOf(HEAD, 1));
    const heights = [90, 500, HEAD];
    expect((await reader.findBlocksUpTo(tip, heights)).map(({ hash }) => hash)).toEqual(
      heights.map((height) => hashOf(height, 1)),
    );
    while (server.requests() < 3) await reader.findBlocksUpTo(tip, [500]);
    await expect(reader.findBlocksUpTo(tip, heights)).rejects.toMatchObject({ kind: 'unknown-block' });
    // It is not remembered.
    const after = await reader.findBlock(HEAD);
    expect(after.hash).toBe(hashOf(HEAD, 2));
    expect(await reader.findBlocksUpTo(after, [500])).toMatchObject([{ hash: hashOf(500, 2) }]);
  });

  it('are believed of the next node behind a URL where one is behind', async () => {
    await open(100, (request) => (request === 2 ? 2 : 1));
    const reader = readerOf(client);
    const tip = await reader.findBlock(HEAD);
    expect(await reader.findBlocksUpTo(tip, [500])).toMatchObject([{ hash: hashOf(500, 1) }]);
    expect(server.requests()).toBe(3);
  });

  it('need no further header where it is final', async () => {
    await open(HEAD);
    const reader = readerOf(client);
    const tip = await reader.findBlock(HEAD);
    await reader.findBlocksUpTo(tip, [1, 2]);
    expect(server.largestBatch()).toBe(3);
  });
});
