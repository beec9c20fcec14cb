/** Every answer on geth's archive, by multicalls and by plain calls as before Byzantium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { tryNode } from './truth.ts';

await describeOnServers('on a geth archive', { env: process.env, own: ['geth'] }, () => {
  const plan = buildPlan();
  let node: SeededNode;

  beforeAll(async () => {
    node = await seedGeth(plan, { history: 'archive', stateScheme: 'hash' });
  }, 600_000);
  afterAll(() => node.stop());

  it.each([
    ['in one eth_call', FROM_BYZANTIUM],
    ['by plain calls, as before Byzantium', AS_SHIPPED],
  ])(
    'every balance, allowance and amount of ether is true: %s',
    async (_how, network) => {
      const trial = await tryNode(node, network, plan);
      expect(trial.faults).toEqual([]);
      expect(trial.count('right')).toBe(trial.judged.length);
      expect(trial.distinct('balance')).toBeGreaterThanOrEqual(1_000);
      expect(trial.distinct('allowance')).toBeGreaterThanOrEqual(300);
      expect(trial.distinct('native')).toBeGreaterThanOrEqual(300);
      expect(trial.views.right).toBeGreaterThanOrEqual(350);
    },
    600_000,
  );
});
