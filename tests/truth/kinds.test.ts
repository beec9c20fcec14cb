/** Every answer on chains of other kinds than mainnet's, a share of all questions and one at every height. */
import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { KINDS } from './kinds.ts';
import { tryNode } from './truth.ts';

const plan = buildPlan();

describe('on a chain of another kind', () => {
  it.each(KINDS)(
    '$name: every answer is true',
    async ({ network, start }) => {
      const node = await start(plan);
      try {
        const trial = await tryNode(node, network, plan, { every: 11, from: 3 });
        expect(trial.faults).toEqual([]);
        expect(trial.carrier).toBe('override');
        expect(trial.count('right')).toBe(trial.judged.length);
        expect(trial.distinct('balance')).toBeGreaterThanOrEqual(150);
        expect(trial.distinct('native')).toBeGreaterThanOrEqual(150);
        expect(trial.views.right).toBeGreaterThanOrEqual(25);
        expect(trial.searches.refused).toBe(0);
      } finally {
        await node.stop();
      }
    },
    600_000,
  );
});
