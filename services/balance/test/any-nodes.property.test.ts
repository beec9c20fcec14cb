import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS } from '@hindsight/devchain/world.ts';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import {
  anyBehaviours,
  deadlineFor,
  startAnyNodes,
  type Behaviours,
} from '@hindsight/chain/test/support/any-nodes.ts';
import { runBalance } from './support/run-balance.ts';
import { falsehoodIn, pathOf, type Asked, type AskedWhen } from './support/true-answers.ts';

const CASES = cases(40);
/** In front of nodes that do not answer: for these, and for the answer. */
const SHORT = { timeoutMs: 300, deadlineMs: 600 };
/** At each start, as in production: what is not known of a node by then is asked with its first use. */
const PROBE_MS = 3_000;
/** Excess over the deadline on a busy machine; a request without one would hang for good. */
const SLACK_MS = 60_000;

const { ledger } = buildPlan();
const nodes = startAnyNodes();

const height = fc.integer({ min: LANDMARKS.traffic, max: CHAIN.head });
const when = fc.oneof(
  fc.constant<AskedWhen>('latest'),
  height.map((asked): AskedWhen => ({ height: asked })),
  fc
    .integer({ min: CHAIN.storyTime + 300, max: CHAIN.headTime + 3_600 })
    .map((date): AskedWhen => ({ date })),
);
const wallet = fc.constantFrom(...Object.values(HOLDERS));
const who = fc.oneof(wallet, fc.constantFrom('alice.eth', 'treasury.eth', 'bob.eth', 'pay.alice.eth'));
const question: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({
    kind: fc.constant('balance' as const),
    token: fc.constantFrom('uni', 'usdt', 'usdc', 'steth', 'bayc', 'late'),
    who,
    when,
  }),
  fc.record({ kind: fc.constant('native' as const), who, when }),
  fc.record({
    kind: fc.constant('allowance' as const),
    token: fc.constantFrom('uni', 'usdc'),
    who: fc.constantFrom('alice.eth', HOLDERS.alice, HOLDERS.bob),
    spender: fc.constantFrom(HOLDERS.market, HOLDERS.relay),
    when,
  }),
);

/** A lagging node takes its own head for the newest block, and its answers name that block. */
function oldestHead(behaviours: Behaviours): number {
  return Math.min(...behaviours.map((how) => (how?.kind === 'lag' ? CHAIN.head - how.blocks : CHAIN.head)));
}

/** A process does not start with a node of another chain; a URL may lead to one later. */
function atStart(behaviours: Behaviours): Behaviours {
  return behaviours.map((how) => (how?.kind === 'wrong-chain' ? undefined : how));
}

describe('any mixture of one to four nodes that lie, lag, hang, prune and break off', () => {
  it('true answers or errors for amounts, allowances, dates and names, always in time', async () => {
    let answered = 0;
    const property = fc.asyncProperty(
      anyBehaviours,
      fc.array(question, { minLength: 1, maxLength: 4 }),
      async (behaviours, questions) => {
        const timeoutMs = deadlineFor(behaviours, SHORT.timeoutMs);
        const deadlineMs = deadlineFor(behaviours, SHORT.deadlineMs);
        const balance = await runBalance(nodes.behave(atStart(behaviours)), {
          timeoutMs,
          deadlineMs,
          probeMs: PROBE_MS,
        });
        nodes.behave(behaviours);
        const truth = { ledger, headers: nodes.headers, oldestHead: oldestHead(behaviours) };
        try {
          // Each twice: what is kept must be true as well.
          for (const asked of [...questions, ...questions]) {
            const begun = performance.now();
            const { status, body } = await balance.ask(pathOf(asked));
            expect(performance.now() - begun).toBeLessThan(deadlineMs + SLACK_MS);
            expect(falsehoodIn(asked, { status, body }, truth)).toBeUndefined();
            if (deadlineMs > SHORT.deadlineMs && status < 500) answered += 1;
          }
        } finally {
          await balance.stop();
        }
      },
    );
    await fc.assert(property, { ...CASES, endOnFailure: true });
    // Not all of them are refused, as long as time does not run out.
    expect(answered).toBeGreaterThan(CASES.numRuns / 4);
  });
});
