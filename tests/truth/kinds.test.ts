/** Answers on chains of other kinds than mainnet's: a share of the questions of each kind; `npm run truth` asks them all. */
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
        const trial = await tryNode(node, network, plan, { every: 29, from: 3, step: 6 });
        expect(trial.faults).toEqual([]);
        expect(trial.carrier).toBe('override');
        expect(trial.count('right')).toBe(trial.judged.length);
        expect(trial.distinct('balance')).toBeGreaterThanOrEqual(100);
        expect(trial.distinct('native')).toBeGreaterThanOrEqual(50);
        expect(trial.views.right).toBeGreaterThanOrEqual(18);
        expect(trial.searches).toEqual({ right: 7, refused: 0, faults: [] });
        expect(trial.holders.right).toBe(43);
      } finally {
        await node.stop();
      }
    },
    600_000,
  );
});
