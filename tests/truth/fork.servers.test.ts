/** Every answer on a node that goes through Ethereum's next fork in the middle of its story. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { FROM_BYZANTIUM } from './networks.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { tryNode } from './truth.ts';

/** About half of the blocks come before it. */
const AMSTERDAM_AT = 150;
/** Less than the deposit of a full answer returned as code: 24,576 bytes at 1,530 gas (EIP-8037). */
const GAS_CAP = 30_000_000;

await describeOnServers('across Amsterdam', { env: process.env, own: ['geth-1.17'] }, () => {
  const plan = buildPlan();
  let node: SeededNode;

  beforeAll(async () => {
    node = await seedGeth(plan, {
      release: 'geth-1.17',
      history: 'archive',
      stateScheme: 'path',
      amsterdamAt: AMSTERDAM_AT,
      gasCap: GAS_CAP,
    });
  }, 600_000);
  afterAll(() => node?.stop());

  it('one at every height, and one in seven of the others, is true', async () => {
    const trial = await tryNode(node, FROM_BYZANTIUM, plan, { every: 7, from: 2 });
    expect(trial.faults).toEqual([]);
    expect(trial.count('right')).toBe(trial.judged.length);
    const heights = new Set(trial.judged.map(({ inquiry }) => inquiry.height));
    const before = [...heights].filter((height) => height < AMSTERDAM_AT);
    expect(before.length).toBeGreaterThanOrEqual(100);
    expect(heights.size - before.length).toBeGreaterThanOrEqual(100);
    expect(trial.views.right).toBeGreaterThanOrEqual(40);
    expect(trial.searches.refused).toBe(0);
  }, 600_000);
});
