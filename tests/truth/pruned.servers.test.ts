/** Every answer on a geth that has forgotten its past: true where it has the state, else an error that says so. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { Judged, Verdict } from './judge.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { tryNode } from './truth.ts';

/** A full node keeps the state of 128 blocks, or a few less. */
const KEPT = 120;

/** One question in this many; the archive is asked all of them. */
const EVERY = 3;

/** To be called in a `describeOnServers` that has geth. */
export function describePruned(stateScheme: 'path' | 'hash', network: Network): void {
  const plan = buildPlan();
  let node: SeededNode;

  beforeAll(async () => {
    node = await seedGeth(plan, { history: 'full', stateScheme });
  }, 600_000);
  afterAll(() => node.stop());

  it('every height that it has is true, every other one an error', async () => {
    const { faults, judged, count } = await tryNode(node, network, plan, EVERY);
    expect(faults).toEqual([]);
    expect(count('right') + count('refused')).toBe(judged.length);
    const right = heightsOf(judged, 'right');
    const refused = heightsOf(judged, 'refused');
    expect([...right].filter((height) => refused.has(height))).toEqual([]);
    expect(right.size).toBeGreaterThanOrEqual(KEPT);
    expect(refused.size).toBeGreaterThanOrEqual(KEPT);
  }, 600_000);
}

function heightsOf(judged: readonly Judged[], of: Verdict): Set<number> {
  return new Set(judged.filter(({ verdict }) => verdict === of).map(({ inquiry }) => inquiry.height));
}
