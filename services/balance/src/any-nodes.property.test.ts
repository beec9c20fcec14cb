import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS } from '@hindsight/devchain/world.ts';
import {
  startHostileNode,
  type HostileNode,
  type Misbehaviour,
} from '@hindsight/shared/chain/testing/hostile-node.ts';
import { runBalance } from './testing/run-balance.ts';
import {
  falsehoodIn,
  pathOf,
  readAllHeaders,
  type Asked,
  type AskedWhen,
  type Headers,
} from './testing/true-answers.ts';

const RUNS = 60;
const MOST_NODES = 4;
const NODE_TIMEOUT_MS = 300;
const DEADLINE_MS = 600;
/** What a machine that is busy may take beyond the deadline; a request without one would hang for good. */
const SLACK_MS = 5_000;

const { ledger } = buildPlan();
let devchain: Devchain;
let headers: Headers;
let hostiles: readonly HostileNode[];

beforeAll(async () => {
  devchain = await startDevchain();
  headers = await readAllHeaders(devchain.url);
  hostiles = await Promise.all(Array.from({ length: MOST_NODES }, () => startHostileNode(devchain.url)));
});
afterAll(async () => {
  await Promise.all(hostiles.map((hostile) => hostile.close()));
  await devchain.stop();
});

const lying = fc.oneof(
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
  { kind: 'drip' },
  { kind: 'truncated' },
  { kind: 'wrong-id' },
  { kind: 'missing-entry' },
  { kind: 'swapped' },
  { kind: 'html' },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
);
const behaviour = fc.oneof(
  fc.constant(undefined),
  lying.map((how): Misbehaviour => ({ distorts: true, ...how })),
  broken,
);

const height = fc.integer({ min: LANDMARKS.traffic, max: CHAIN.head });
const when = fc.oneof(
  fc.constant<AskedWhen>('latest'),
  height.map((asked): AskedWhen => ({ height: asked })),
  fc
    .integer({ min: CHAIN.genesisTime + 300, max: CHAIN.headTime + 3_600 })
    .map((date): AskedWhen => ({ date })),
);
const wallet = fc.constantFrom(...Object.values(HOLDERS));
const who = fc.oneof(wallet, fc.constantFrom('alice.eth', 'treasury.eth', 'bob.eth', 'pay.alice.eth'));
const question: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({
    kind: fc.constant('balance' as const),
    token: fc.constantFrom('uni', 'usdt', 'usdc', 'steth', 'bayc', 'late'),
    ...{ who, when },
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

/** A node that is behind takes its own head for the newest block, and says which block it answers about. */
function oldestHead(behaviours: readonly (Misbehaviour | undefined)[]): number {
  return Math.min(...behaviours.map((how) => (how?.kind === 'lag' ? CHAIN.head - how.blocks : CHAIN.head)));
}

describe('any mixture of one to four nodes that lie, lag, hang, prune and break off', () => {
  it('gives the truth or an error about amounts, allowances, dates and names, and always in time', async () => {
    let answered = 0;
    const property = fc.asyncProperty(
      fc.array(behaviour, { minLength: 1, maxLength: MOST_NODES }),
      fc.array(question, { minLength: 1, maxLength: 4 }),
      async (behaviours, questions) => {
        behaviours.forEach((how, i) => hostiles[i]?.behave(how));
        const urls = hostiles.slice(0, behaviours.length).map(({ url }) => url);
        const balance = await runBalance(urls, { timeoutMs: NODE_TIMEOUT_MS, deadlineMs: DEADLINE_MS });
        const truth = { ledger, headers, oldestHead: oldestHead(behaviours) };
        try {
          // Each twice: what is kept must be true as well.
          for (const asked of [...questions, ...questions]) {
            const begun = performance.now();
            const { status, body } = await balance.ask(pathOf(asked));
            expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + SLACK_MS);
            expect(falsehoodIn(asked, { status, body }, truth)).toBeUndefined();
            if (status < 500) answered += 1;
          }
        } finally {
          await balance.stop();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
    // Not all of them are refused.
    expect(answered).toBeGreaterThan(RUNS / 4);
  }, 240_000);
});
