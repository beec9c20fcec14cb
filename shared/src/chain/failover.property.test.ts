import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import type { Ledger } from '@hindsight/devchain/ledger.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '../clock.ts';
import { AboveHead } from './block.ts';
import { createFailover } from './failover.ts';
import { createJsonRpcNode } from './json-rpc.ts';
import { NETWORKS } from './networks.ts';
import { resultOf, type EthereumNode } from './node.ts';
import { NodeError } from './node-error.ts';
import type { CallResult } from './probe/probe.ts';
import { ChainReader, type Reading } from './reader.ts';
import { SLACK_MS } from './testing/failover-pair.ts';
import { startHostileNode, type HostileNode, type Misbehaviour } from './testing/hostile-node.ts';
import { balanceOfCall, readUint } from './token-facts.ts';

const RUNS = 80;
const MOST_NODES = 4;
/** Short, for many of them are waited for. */
const DEADLINE_MS = 400;

let devchain: Devchain;
let ledger: Ledger;
let hashes: ReadonlyMap<number, string>;
let hostiles: readonly HostileNode[];

beforeAll(async () => {
  ledger = buildPlan().ledger;
  devchain = await startDevchain();
  hashes = await readHashes(devchain.url);
  hostiles = await Promise.all(Array.from({ length: MOST_NODES }, () => startHostileNode(devchain.url)));
});
afterAll(async () => {
  await Promise.all(hostiles.map((hostile) => hostile.close()));
  await devchain.stop();
});

const honest = fc.constant(undefined);
const distorted = fc.oneof(
  fc.record({ kind: fc.constant('lag' as const), blocks: fc.integer({ min: 1, max: 200 }) }),
  fc.record({ kind: fc.constant('boast' as const), blocks: fc.integer({ min: 1, max: 1_000_000 }) }),
  fc.record({
    kind: fc.constant('prune' as const),
    floor: fc.integer({ min: CHAIN.genesis, max: CHAIN.head + 1 }),
    how: fc.constantFrom('error' as const, 'empty' as const, 'list' as const),
  }),
  fc.record({
    kind: fc.constant('reorg' as const),
    blocks: fc.integer({ min: 1, max: 3 }),
    pinned: fc.boolean(),
  }),
  fc.constantFrom({ kind: 'null-block' as const }, { kind: 'wrong-chain' as const, chainId: 10 }),
);
const broken = fc.constantFrom<Misbehaviour>(
  { kind: 'hang' },
  { kind: 'reset' },
  { kind: 'truncated' },
  { kind: 'wrong-id' },
  { kind: 'missing-entry' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
);
const behaviour = fc.oneof(
  honest,
  distorted.map((how): Misbehaviour => ({ distorts: true, ...how })),
  broken,
);
const question = fc.record({
  at: fc.oneof(fc.constant('latest' as const), fc.integer({ min: CHAIN.genesis + 10, max: CHAIN.head })),
  token: fc.constantFrom(TOKENS.uni, TOKENS.usdt, TOKENS.weth, TOKENS.bayc, TOKENS.steth),
  holder: fc.constantFrom(...Object.values(HOLDERS)),
});

describe('any mixture of one to four nodes that lie, lag, hang, prune and break off', () => {
  it('gives the truth or an error, never a wrong answer, and always in time', async () => {
    let withHonest = 0;
    let answered = 0;
    const property = fc.asyncProperty(
      fc.array(behaviour, { minLength: 1, maxLength: MOST_NODES }),
      fc.array(question, { minLength: 1, maxLength: 3 }),
      async (behaviours, questions) => {
        const { reader, slowest, close } = openReader(behaviours);
        try {
          for (const { at, token, holder } of questions) {
            const outcome = await reader.read(at, [balanceOfCall(token.address, holder)]).catch(onlyExpected);
            if (behaviours.includes(undefined)) withHonest += 1;
            if (outcome === undefined) continue;
            if (behaviours.includes(undefined)) answered += 1;
            const { block } = outcome;
            if (at !== 'latest') expect(block.number).toBe(at);
            expect(block.hash).toBe(hashes.get(block.number));
            const held = readUint(outcome.results[0] as CallResult);
            expect(held).toBe(ledger.balanceAt(token.address, holder, block.number));
          }
          expect(slowest()).toBeLessThan(DEADLINE_MS + SLACK_MS);
        } finally {
          await close();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    // Where an honest node is among them, it is found; but time may run out on a machine that is busy.
    expect(withHonest).toBeGreaterThan(RUNS / 4);
    expect(answered).toBeGreaterThan(RUNS / 8);
  }, 60_000);
});

function openReader(behaviours: readonly (Misbehaviour | undefined)[]): {
  reader: ChainReader;
  slowest: () => number;
  close: () => Promise<void>;
} {
  behaviours.forEach((how, at) => hostiles[at]!.behave(how));
  const nodes = behaviours.map((_, at) => createJsonRpcNode({ url: hostiles[at]!.url }));
  const failover = createFailover({ nodes, chainId: 1, limits: { timeoutMs: DEADLINE_MS } });
  let slowest = 0;
  const node: EthereumNode = {
    label: failover.label,
    async send(calls, options) {
      const begun = performance.now();
      try {
        return await failover.send(calls, options);
      } finally {
        slowest = Math.max(slowest, performance.now() - begun);
      }
    },
    close: () => failover.close(),
  };
  const network = NETWORKS.get('eth-mainnet')!;
  return {
    reader: new ChainReader({ node, network, clock: systemClock }),
    slowest: () => slowest,
    close: () => failover.close(),
  };
}

function onlyExpected(error: unknown): Reading | undefined {
  if (error instanceof NodeError || error instanceof AboveHead) return undefined;
  throw error;
}

async function readHashes(url: string): Promise<ReadonlyMap<number, string>> {
  const node = createJsonRpcNode({ url });
  const heights = Array.from({ length: CHAIN.head - CHAIN.genesis + 1 }, (_, at) => CHAIN.genesis + at);
  const calls = heights.map((height) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${height.toString(16)}`, false],
  }));
  const outcomes = await node.send(calls);
  await node.close();
  return new Map(heights.map((height, at) => [height, (resultOf(outcomes[at]) as { hash: string }).hash]));
}
