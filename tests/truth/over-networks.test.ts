/** Answers over several networks are true of each, and so are names on a network that has none itself. */
import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { tryNamesElsewhere, tryOverNetworks, tryOverProcesses } from './over-networks.ts';

describe('over networks', () => {
  it('each entry, block and row is true', async () => {
    const { right, faults } = await tryOverNetworks(buildPlan());
    expect(faults).toEqual([]);
    expect(right).toBe(1_144);
  }, 600_000);

  it('the same is true through a gateway with a process for each network', async () => {
    const { right, faults } = await tryOverProcesses(buildPlan());
    expect(faults).toEqual([]);
    expect(right).toBe(1_022);
  }, 600_000);

  it('each name means its address for that network, at the block of its time', async () => {
    const { right, faults } = await tryNamesElsewhere();
    expect(faults).toEqual([]);
    expect(right).toBe(151);
  }, 600_000);
});
