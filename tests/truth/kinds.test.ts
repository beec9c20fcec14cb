/**
 * Answers on chains of other kinds than mainnet's: a share of the questions of each kind; `npm run truth` asks them all. Answers
 * over all of these networks are true of each, and so are names on a network that has none itself.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { isOfOneNetwork, unasked } from './asked.ts';
import { KINDS } from './kinds.ts';
import {
  startNetworks,
  tryNamesElsewhere,
  tryOverNetworks,
  tryOverProcesses,
  type SeededNetwork,
} from './over-networks.ts';
import { tryNode } from './truth.ts';

const plan = buildPlan();
let seeded: readonly SeededNetwork[] = [];

beforeAll(async () => {
  seeded = await startNetworks(plan);
});
afterAll(() => Promise.all(seeded.map(({ node }) => node.stop())));

describe('on a chain of another kind', () => {
  it.each(KINDS)('$name: every answer is true', async ({ network }) => {
    const { node } = seeded.find((one) => one.network === network)!;
    const trial = await tryNode(node, network, plan, { every: 29, from: 3, step: 12 });
    expect(trial.faults).toEqual([]);
    expect(trial.carrier).toBe('override');
    expect(trial.count('right')).toBe(trial.judged.length);
    expect(trial.distinct('balance')).toBeGreaterThanOrEqual(100);
    expect(trial.distinct('native')).toBeGreaterThanOrEqual(50);
    expect(trial.views.right).toBeGreaterThanOrEqual(18);
    expect(trial.searches).toEqual({ right: 7, refused: 0, faults: [] });
    expect(trial.holders.right).toBe(73);
  });
});

describe('over networks', () => {
  it('each entry, block and row is true', async () => {
    const { right, faults, asked = new Set() } = await tryOverNetworks(plan, seeded);
    expect(faults).toEqual([]);
    expect(right).toBe(1_144);
    expect(unasked(asked, (operation) => !isOfOneNetwork(operation))).toEqual([]);
  });

  it('the same is true through a gateway with a process for each network', async () => {
    const { right, faults } = await tryOverProcesses(plan, seeded);
    expect(faults).toEqual([]);
    expect(right).toBe(1_022);
  });

  it('each name means its address for that network, at the block of its time', async () => {
    const { right, faults } = await tryNamesElsewhere();
    expect(faults).toEqual([]);
    expect(right).toBe(151);
  });
});
