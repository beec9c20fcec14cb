/**
 * A node that lies, or fails: an answer is true, or says that there is none. On anvil that is a suite of the balance service.
 */
import {
  startHostileNode,
  type HostileNode,
  type Misbehaviour,
} from '@hindsight/chain/test/support/hostile-node.ts';
import type { Plan } from '@hindsight/devchain/plan-format.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { claimsOf } from './claims.ts';
import { inquire, readChain, sweep, type Chain, type Inquiry } from './inquiries.ts';
import { judgeAll, type Judged } from './judge.ts';
import { FROM_BYZANTIUM } from './networks.ts';
import type { SeededNode } from './nodes.ts';
import { askedOnce } from './patience.ts';
import { readTruth, type Truth } from './raw-truth.ts';
import { startService } from './service.ts';

/** About half of the blocks come before it, and before the fork where there is one. */
const MIDDLE = 150;
/** Questions about the blocks of each side. */
const QUESTIONS = 10;
const FAR = 1_000_000;

type Lie = readonly [what: string, how: Misbehaviour];

const falseHeader = (fields: Record<string, string>): Misbehaviour => ({
  distorts: true,
  kind: 'false-header',
  fields,
});
/** Failures on the way: the same bytes on every chain. */
const FAILURES: readonly Lie[] = [
  ['HTTP 429', { kind: 'status', status: 429 }],
  ['a reset', { kind: 'reset' }],
  ['half an answer', { kind: 'truncated' }],
  ['wrong ids', { kind: 'wrong-id' }],
  ['a batch in another order', { kind: 'swapped' }],
  ['one entry too few', { kind: 'missing-entry' }],
  ['a sign-in page', { kind: 'html' }],
  ['an error', { distorts: true, kind: 'rpc-error', code: -32_603, message: 'Internal error' }],
];
/** Falsehoods about the chain and its state, which have this chain's rules in them. */
export const FALSEHOODS: readonly Lie[] = [
  ['another chain', { distorts: true, kind: 'wrong-chain', chainId: 5 }],
  ['no block', { distorts: true, kind: 'null-block' }],
  ['the state of another block', { distorts: true, kind: 'reorg', blocks: 1, pinned: true }],
  ['a reorganisation between header and call', { distorts: true, kind: 'reorg', blocks: 1, pinned: false }],
  ['headers with another parent', falseHeader({ parentHash: `0x${'bad'.repeat(21)}0` })],
  ['headers without the fork’s field', falseHeader({ blockAccessListHash: '0x' })],
  ['a head that it does not have', { distorts: true, kind: 'boast', blocks: FAR }],
  ['a finalized block that it does not have', { distorts: true, kind: 'false-finality', blocks: FAR }],
  ['pruned state', { distorts: true, kind: 'prune', floor: FAR, how: 'error' }],
  ['0x for pruned state', { distorts: true, kind: 'prune', floor: FAR, how: 'empty' }],
  ['[] for pruned state', { distorts: true, kind: 'prune', floor: FAR, how: 'list' }],
  ['nothing for every call', { distorts: true, kind: 'says', method: 'eth_call', result: '0x' }],
  [
    'zero for every call',
    { distorts: true, kind: 'says', method: 'eth_call', result: `0x${'00'.repeat(32)}` },
  ],
];
/** All that a node may answer in place of the truth. */
export const LIES: readonly Lie[] = [...FAILURES, ...FALSEHOODS];

/** True for a wrong answer, and for one that denies the state that the node has. */
function isFalse({ verdict }: Judged): boolean {
  return verdict === 'wrong' || verdict === 'refused';
}

/** Some of all, with the same distance between them. */
function spread<T>(all: readonly T[], count: number): readonly T[] {
  return Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]!);
}

/** To be called in a `describe`. @param on the node with the plan's past, once tests run */
export function itSurvives(lies: readonly Lie[], plan: Plan, on: () => SeededNode): void {
  let hostile: HostileNode;
  let chain: Chain;
  let inquiries: readonly Inquiry[];
  let truths: readonly Truth[];

  beforeAll(async () => {
    const node = on();
    hostile = await startHostileNode(node.url);
    chain = await readChain(node.url, node.heightOf(plan.genesis.number));
    const { ledger } = plan;
    const all = [...inquire(node, chain, ledger, claimsOf(ledger)), ...sweep(chain)];
    const before = all.filter(({ height }) => height < MIDDLE);
    const after = all.filter(({ height }) => height >= MIDDLE);
    inquiries = [before, after].flatMap((side) => spread(side, QUESTIONS));
    truths = await readTruth(node.url, inquiries);
  });
  afterAll(() => hostile?.close());

  it.each(lies)('%s: nothing false is answered, nor kept', async (_what, how) => {
    const service = await startService(hostile.url, FROM_BYZANTIUM);
    // Nothing gainsays the only node about a hash that it says it does not know.
    const isAsked = ({ when }: Inquiry): boolean => how.kind !== 'null-block' || !('block_hash' in when);
    const asked = inquiries.filter(isAsked);
    const known = truths.filter((_, i) => isAsked(inquiries[i]!));
    const judged = (): Promise<readonly Judged[]> =>
      judgeAll(service.url, FROM_BYZANTIUM, chain, asked, known, askedOnce);
    const falsehoods = async (): Promise<readonly Judged[]> =>
      (await judged()).filter((one) => isFalse(one) && !isCautious(one));
    try {
      hostile.behave(how);
      expect(await falsehoods()).toEqual([]);
      hostile.behave(undefined);
      expect(await falsehoods()).toEqual([]);
      await until('all is answered', async () =>
        (await judged()).every(({ verdict }) => verdict === 'right'),
      );
      expect(service.nodes()[0]?.carriage?.carrier).toBe('revert');
    } finally {
      hostile.behave(undefined);
      await service.stop();
    }
  });

  /** To call a final block not final is to promise less: true, where all else is. */
  function isCautious({ inquiry, answer: { status, body } }: Judged): boolean {
    const truth = truths[inquiries.indexOf(inquiry)];
    return (
      status === 200 &&
      truth?.kind === 'amount' &&
      body.finalized === false &&
      body.checked_at_block === inquiry.height &&
      body.block_hash === chain.headers.get(inquiry.height)?.hash &&
      (body.balance ?? body.allowance) === truth.amount.toString()
    );
  }
}
