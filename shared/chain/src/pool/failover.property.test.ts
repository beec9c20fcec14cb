import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import { AboveHead } from '../state/block.ts';
import { Failover } from './failover.ts';
import { carriedJsonRpc } from '../../test/support/carried-json-rpc.ts';
import { NETWORKS } from '../networks.ts';
import type { EthereumNode } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { ChainReader, type Reading } from '../state/reader.ts';
import { anyBehaviours, deadlineFor, startAnyNodes, type Behaviours } from '../../test/support/any-nodes.ts';
import { SLACK_MS } from '../../test/support/failover-pair.ts';
import { balanceOfCall, readUint } from '../tokens/token-facts.ts';

const CASES = cases(60);
/** In front of nodes that do not answer: short, for many of them are waited for. */
const SHORT_MS = 400;

const { ledger } = buildPlan();
const hostiles = startAnyNodes();

const question = fc.record({
  at: fc.oneof(fc.constant('latest' as const), fc.integer({ min: CHAIN.story + 10, max: CHAIN.head })),
  token: fc.constantFrom(TOKENS.uni, TOKENS.usdt, TOKENS.weth, TOKENS.bayc, TOKENS.steth),
  holder: fc.constantFrom(...Object.values(HOLDERS)),
});

describe('any mixture of one to four nodes that lie, lag, hang, prune and drop connections', () => {
  it('gives the truth or an error, never a wrong answer, and always in time', async () => {
    let withHonest = 0;
    let answered = 0;
    const property = fc.asyncProperty(
      anyBehaviours,
      fc.array(question, { minLength: 1, maxLength: 3 }),
      async (behaviours, questions) => {
        const deadlineMs = deadlineFor(behaviours, SHORT_MS);
        const hasHonest = behaviours.includes(undefined) && deadlineMs > SHORT_MS;
        const { reader, slowest, close } = openReader(behaviours, deadlineMs);
        try {
          for (const { at, token, holder } of questions) {
            const outcome = await reader.read(at, [balanceOfCall(token.address, holder)]).catch(onlyExpected);
            if (hasHonest) withHonest += 1;
            if (outcome === undefined) continue;
            if (hasHonest) answered += 1;
            const { block } = outcome;
            if (at !== 'latest') expect(block.number).toBe(at);
            expect(block.hash).toBe(hostiles.headers.get(block.number)?.hash);
            const held = readUint(outcome.results[0]);
            expect(held).toBe(ledger.balanceAt(token.address, holder, block.number));
          }
          expect(slowest()).toBeLessThan(deadlineMs + SLACK_MS);
        } finally {
          await close();
        }
      },
    );
    await fc.assert(property, { ...CASES, endOnFailure: true });
    // An honest node among them is found, as long as time does not run out.
    expect(withHonest).toBeGreaterThan(CASES.numRuns / 4);
    expect(answered).toBeGreaterThan(CASES.numRuns / 8);
  });
});

function openReader(
  behaviours: Behaviours,
  timeoutMs: number,
): {
  reader: ChainReader;
  slowest: () => number;
  close: () => Promise<void>;
} {
  const nodes = hostiles.behave(behaviours).map((url) => carriedJsonRpc({ url }));
  const failover = new Failover({ nodes, chainId: 1, limits: { timeoutMs } });
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
