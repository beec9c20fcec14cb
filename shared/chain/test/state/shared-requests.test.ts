import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ETH_MAINNET } from '../../src/networks.ts';
import type { NodeErrorKind } from '../../src/rpc/node-error-kind.ts';
import { ChainReader } from '../../src/state/reader.ts';
import { NEVER, pairForEachTest } from '../support/failover-pair.ts';
import type { Misbehaviour } from '../support/hostile-node.ts';
import { balanceOfCall, readUint } from '../../src/tokens/token-facts.ts';

/** Nothing here is about time. */
const LIMITS = { timeoutMs: 60_000, circuit: { failures: 3, openMs: NEVER, maxOpenMs: NEVER } };
const RECENT_FROM = CHAIN.head - 100;
const RECENT = Array.from({ length: 16 }, (_, i) => RECENT_FROM + i);
const OLD = [1, 2, 3, 4].map((i) => RECENT_FROM - i);
/** Every fifth is an old one: some go alone, and some in company. */
const MIXED = OLD.flatMap((old, i) => [...RECENT.slice(4 * i, 4 * i + 4), old]);
const HAS_RECENT: Misbehaviour = { distorts: true, kind: 'prune', floor: RECENT_FROM, how: 'error' };
const HAS_OLD: Misbehaviour = {
  distorts: true,
  kind: 'prune',
  floor: CHAIN.story,
  ceiling: RECENT_FROM,
  how: 'error',
};

const { ledger } = buildPlan();
const pair = pairForEachTest();
const TOKEN = TOKENS.uni.address;
const QUESTION = [balanceOfCall(TOKEN, HOLDERS.alice)];

/** Knows all the blocks already, so that questions about them travel together. */
async function openReader(): Promise<ChainReader> {
  const node = pair.open([pair.first, pair.second], LIMITS);
  const reader = new ChainReader({ node, network: ETH_MAINNET, clock: systemClock });
  for (const height of MIXED) await reader.read(height, QUESTION);
  return reader;
}

/** Outcome of concurrent questions: `right`, `wrong`, or the kind of error. */
async function askTogether(reader: ChainReader, heights: readonly number[]): Promise<Map<number, string>> {
  const ask = async (height: number): Promise<[number, string]> => {
    try {
      const { results } = await reader.read(height, QUESTION);
      const isRight = readUint(results[0]) === ledger.balanceAt(TOKEN, HOLDERS.alice, height);
      return [height, isRight ? 'right' : 'wrong'];
    } catch (error) {
      return [height, (error as { kind: string }).kind];
    }
  };
  return new Map(await Promise.all(heights.map(ask)));
}

/** The same of a pair of nodes that behave so, which see fewer requests than questions. */
async function askPair(first: Misbehaviour, second: Misbehaviour): Promise<Map<number, string>> {
  const reader = await openReader();
  pair.first.behave(first);
  pair.second.behave(second);
  const before = pair.first.requests;
  const outcomes = await askTogether(reader, MIXED);
  expect(pair.first.requests - before).toBeLessThan(MIXED.length);
  return outcomes;
}

const all = (heights: readonly number[], outcome: string): [number, string][] =>
  heights.map((height) => [height, outcome]);

describe('questions about several blocks that share a request', () => {
  it.each<[what: string, how: Misbehaviour, kind: NodeErrorKind]>([
    ['is down', { kind: 'reset' }, 'unreachable'],
    ['asks to come back later', { kind: 'status', status: 429, headers: { 'retry-after': '60' } }, 'busy'],
  ])('are answered by a pruned node as far as it can, though the archive %s', async (_, how, kind) => {
    const outcomes = await askPair(HAS_RECENT, how);
    expect(outcomes).toEqual(new Map([...all(RECENT, 'right'), ...all(OLD, kind)]));
  });

  it('are each answered by the node that has the state, if none has all of it', async () => {
    const outcomes = await askPair(HAS_RECENT, HAS_OLD);
    expect(outcomes).toEqual(new Map(all(MIXED, 'right')));
  });
});
