/**
 * Answers on a geth that has forgotten its past: true where it has the state, else an error that says so. A share of the
 * questions of each kind, and one at each height around the oldest state; `npm run truth` asks them all.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import type { Judged, Verdict } from './judge.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import {
  startNodeInFront,
  type NodeInFront,
  type RpcCall,
  type RuleAnswer,
} from '../support/node-in-front.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { tryNode } from './truth.ts';

/** A full node keeps the state of 128 blocks, or a few less; blocks without transactions may follow the plan's last one. */
const OLDEST = { atLeast: 135, atMost: 115 };
/** Heights that are answered, and heights that are refused. */
const ENOUGH = 40;
const SCHEMES = ['path', 'hash'] as const;

await describeOnServers('on a pruned geth', { env: process.env, own: ['geth-1.17'] }, () => {
  const plan = buildPlan();
  const nodes = new Map<(typeof SCHEMES)[number], SeededNode>();
  let silent: NodeInFront;

  beforeAll(async () => {
    const start = async (stateScheme: (typeof SCHEMES)[number]): Promise<unknown> =>
      nodes.set(stateScheme, await seedGeth(plan, { history: 'full', stateScheme, logIndex: false }));
    await Promise.all(SCHEMES.map(start));
    silent = await startNodeInFront(nodes.get('path')!.url, { call: saysNothing });
  });
  afterAll(() => Promise.all([silent?.close(), ...[...nodes.values()].map((node) => node.stop())]));

  it.each([
    ['path', 'in one eth_call', FROM_BYZANTIUM, { every: 17 }],
    ['hash', 'by plain calls', AS_SHIPPED, { every: 17, from: 3 }],
  ] as const)(
    'an answer is true at a height that it has, and an error at any other: %s scheme, asked %s',
    async (scheme, _how, network, asked) => {
      const seeded = nodes.get(scheme)!;
      const node = scheme === 'path' ? { ...seeded, url: silent.url } : seeded;
      const head = node.heightOf(CHAIN.head);
      const { atLeast, atMost } = OLDEST;
      const borders = Array.from({ length: atLeast - atMost }, (_, i) => head - atLeast + i);
      const { faults, judged, count, carrier, oldestState } = await tryNode(node, network, plan, {
        ...asked,
        step: 12,
        borders,
      });
      expect(faults).toEqual([]);
      expect(carrier).toBe('revert');
      // By hash it has kept some of the older states too.
      if (scheme === 'path') expect(oldestState).toBe(Math.max(...heightsOf(judged, 'refused')) + 1);
      expect(count('right') + count('refused')).toBe(judged.length);
      const right = heightsOf(judged, 'right');
      const refused = heightsOf(judged, 'refused');
      expect([...right].filter((height) => refused.has(height))).toEqual([]);
      expect(right.size).toBeGreaterThanOrEqual(ENOUGH);
      expect(refused.size).toBeGreaterThanOrEqual(ENOUGH);
    },
  );
});

/** Answers as a geth before 1.17, which cannot say what it keeps: its other answers show it. */
function saysNothing({ method }: RpcCall): RuleAnswer {
  if (method !== 'eth_capabilities') return undefined;
  return { error: { code: -32_601, message: `the method ${method} does not exist/is not available` } };
}

function heightsOf(judged: readonly Judged[], of: Verdict): Set<number> {
  return new Set(judged.filter(({ verdict }) => verdict === of).map(({ inquiry }) => inquiry.height));
}
