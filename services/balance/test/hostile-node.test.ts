/** Answers over a single misbehaving node: in time, and nothing false is cached. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { gzipSync } from 'node:zlib';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS } from '@hindsight/devchain/world.ts';
import { readAllHeaders, type Headers } from '@hindsight/chain/test/support/all-headers.ts';
import {
  startHostileNode,
  type HostileNode,
  type Misbehaviour,
} from '@hindsight/chain/test/support/hostile-node.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';
import { falsehoodIn, pathOf, type Asked } from './support/true-answers.ts';

/** For cases that wait for a silent node; elsewhere the test must not depend on time. */
const SHORT = { timeoutMs: 400, deadlineMs: 1_000 };
const LONG = { timeoutMs: 100_000, deadlineMs: 120_000 };
/** Excess over the deadline on a busy machine; a request without one would hang for good. */
const SLACK_MS = 60_000;
const TRUTH_WITHIN_MS = 600_000;
const MEBIBYTE = 1024 * 1024;
const HEIGHT = CHAIN.head - 100;

const { ledger } = buildPlan();
const { alice, market } = HOLDERS;
let devchain: Devchain;
let headers: Headers;
let node: HostileNode;
let balance: RunningBalance;
let limits = LONG;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  headers = await readAllHeaders(devchain.url);
});
afterAll(() => devchain.stop());
beforeEach(async () => {
  node = await startHostileNode(devchain.url);
  limits = LONG;
  balance = await runBalance(node.url, limits);
});
afterEach(async () => {
  await balance.stop();
  await node.close();
});

/** One of each kind. The first comes while nothing is known of the node yet. */
const QUESTIONS: readonly Asked[] = [
  { kind: 'balance', token: 'usdt', who: alice, when: { height: HEIGHT } },
  { kind: 'balance', token: 'uni', who: alice, when: 'latest' },
  { kind: 'native', who: 'alice.eth', when: { height: HEIGHT - 1 } },
  { kind: 'allowance', token: 'usdc', who: alice, spender: market, when: { height: HEIGHT - 2 } },
  { kind: 'native', who: alice, when: { date: CHAIN.headTime - 1_000 } },
];

async function ask(
  asked: Asked,
  oldestHead: number = CHAIN.head,
): Promise<{ status: number; retryAfter: string | null }> {
  const begun = performance.now();
  const { status, headers: sent, body } = await balance.ask(pathOf(asked));
  expect(performance.now() - begun).toBeLessThan(limits.deadlineMs + SLACK_MS);
  expect([asked, falsehoodIn(asked, { status, body }, { ledger, headers, oldestHead })]).toEqual([
    asked,
    undefined,
  ]);
  if (status >= 500) {
    expect(body).toEqual({
      message: expect.any(String),
      error: expect.any(String),
      statusCode: status,
      ...forMachines(),
    });
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  }
  return { status, retryAfter: sent.get('retry-after') };
}

/** All is answered, and true, also from what was kept in the meantime. */
async function expectTruthSoon(oldestHead?: number): Promise<void> {
  const deadline = performance.now() + TRUTH_WITHIN_MS;
  for (const asked of [...QUESTIONS, ...QUESTIONS]) {
    while ((await ask(asked, oldestHead)).status >= 500) {
      expect(performance.now()).toBeLessThan(deadline);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

type Row = [name: string, how: Misbehaviour, status: number];
const falseHeader = (fields: Record<string, string>): Misbehaviour => ({
  distorts: true,
  kind: 'false-header',
  fields,
});
const failing: Row[] = [
  ['429', { kind: 'status', status: 429 }, 503],
  ['429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '1' } }, 503],
  ['503', { kind: 'status', status: 503 }, 503],
  ['500', { kind: 'status', status: 500 }, 503],
  ['502 with a page', { kind: 'status', status: 502, body: '<html>Bad Gateway</html>' }, 503],
  ['a hang', { kind: 'hang' }, 504],
  ['a reset', { kind: 'reset' }, 503],
  ['a slow drip', { kind: 'drip' }, 504],
  ['half an answer', { kind: 'truncated' }, 503],
  ['wrong ids', { kind: 'wrong-id' }, 502],
  ['another chain', { distorts: true, kind: 'wrong-chain', chainId: 5 }, 502],
  ['one entry too few', { kind: 'missing-entry' }, 502],
  ['a sign-in page', { kind: 'html' }, 502],
  ['an answer of 100 MB', { kind: 'huge', bytes: 100 * MEBIBYTE, announced: true }, 502],
  ['100 MB unannounced', { kind: 'huge', bytes: 100 * MEBIBYTE, announced: false }, 502],
  ['a gzip bomb', { kind: 'zipped', body: gzipSync(Buffer.alloc(64 * MEBIBYTE, ' ')) }, 502],
  ['no block', { distorts: true, kind: 'null-block' }, 502],
  ['the state of another block', { distorts: true, kind: 'reorg', blocks: 1, pinned: true }, 502],
  ['headers with another parent', falseHeader({ parentHash: `0x${'bad'.repeat(21)}0` }), 502],
  ['headers of a time that no date can express', falseHeader({ timestamp: '0x1ff973cafa8000' }), 502],
  ['pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head + 1, how: 'error' }, 502],
  ['0x for pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head + 1, how: 'empty' }, 502],
  ['[] for pruned state', { distorts: true, kind: 'prune', floor: CHAIN.head + 1, how: 'list' }, 502],
  ['an error', { distorts: true, kind: 'rpc-error', code: -32603, message: 'Internal error' }, 502],
  [
    'its own timeout',
    {
      distorts: true,
      kind: 'rpc-error',
      method: 'eth_call',
      code: -32000,
      message: 'execution aborted (timeout = 5s)',
    },
    504,
  ],
];
const bearable: [name: string, how: Misbehaviour, oldestHead: number][] = [
  ['a batch in another order', { kind: 'swapped' }, CHAIN.head],
  [
    'a reorganisation between header and call',
    { distorts: true, kind: 'reorg', blocks: 1, pinned: false },
    CHAIN.head,
  ],
  ['a head that it does not have', { distorts: true, kind: 'boast', blocks: 1_000_000 }, CHAIN.head],
  [
    'a finalized block that it does not have',
    { distorts: true, kind: 'false-finality', blocks: 1_000 },
    CHAIN.head,
  ],
  ['a head that goes back', { distorts: true, kind: 'lag', blocks: 7 }, CHAIN.head - 7],
];

describe('a node that answers with', () => {
  it.each(failing)(
    '%s: an error that says so, in time, and the truth once it is right',
    async (_name, how, status) => {
      if (how.kind === 'hang' || how.kind === 'drip') {
        await balance.stop();
        limits = SHORT;
        balance = await runBalance(node.url, limits);
      }
      node.behave(how);
      const [first, ...others] = QUESTIONS;
      const answer = await ask(first!);
      expect(answer.status).toBe(status);
      if (status === 503) expect(Number(answer.retryAfter)).toBeGreaterThanOrEqual(1);
      // After a few of them the node is not asked, which is a 503; a pruned one still has its newest block.
      for (const asked of others) expect([200, 502, 503, 504]).toContain((await ask(asked)).status);
      node.behave(undefined);
      await expectTruthSoon();
    },
  );

  it.each(bearable)('%s: the truth', async (_name, how, oldestHead) => {
    node.behave(how);
    for (const asked of QUESTIONS) expect((await ask(asked, oldestHead)).status).toBeLessThan(500);
    node.behave(undefined);
    // A head is trusted for half a second.
    await expectTruthSoon(oldestHead);
  });

  it.each(bearable)('%s once it is known well: the truth', async (_name, how, oldestHead) => {
    await expectTruthSoon();
    node.behave(how);
    const again = QUESTIONS.map((asked) => ({ ...asked, who: HOLDERS.treasury }));
    for (const asked of again) expect((await ask(asked, oldestHead)).status).toBeLessThan(500);
  });

  it('a height that was there before its head went back: not "does not exist yet"', async () => {
    await expectTruthSoon();
    node.behave({ distorts: true, kind: 'lag', blocks: 7 });
    await new Promise((resolve) => setTimeout(resolve, 600));
    const { status } = await ask({ kind: 'native', who: alice, when: { height: CHAIN.head - 1 } });
    expect(status).toBe(502);
  });
});
