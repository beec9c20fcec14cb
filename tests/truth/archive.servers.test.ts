/** Every answer on geth's archive, by multicalls and by plain calls as before Byzantium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createJsonRpcNode } from '@hindsight/chain/rpc/json-rpc.ts';
import type { CallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { balanceOfCall, readUint } from '@hindsight/chain/tokens/token-facts.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { expectTrueMortals } from './mortal.contract.ts';
import { gethWithMortals } from './mortal.ts';
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

  it('every balance, allowance and amount of ether is true: by plain calls, as before Byzantium', async () => {
    const trial = await tryNode(node, AS_SHIPPED, plan);
    expect(trial.faults).toEqual([]);
    expect(trial.count('right')).toBe(trial.judged.length);
    expect(trial.distinct('balance')).toBeGreaterThanOrEqual(1_000);
    expect(trial.distinct('allowance')).toBeGreaterThanOrEqual(300);
    expect(trial.distinct('native')).toBeGreaterThanOrEqual(300);
    expect(trial.views.right).toBeGreaterThanOrEqual(350);
    expect([trial.searches.right, trial.searches.refused]).toEqual([47, 0]);
  }, 600_000);

  // anvil is asked all of them in this way.
  it('one at every height, and one in three of the others, is true: in one eth_call', async () => {
    const trial = await tryNode(node, FROM_BYZANTIUM, plan, 3);
    expect(trial.faults).toEqual([]);
    expect(trial.count('right')).toBe(trial.judged.length);
    for (const kind of ['balance', 'allowance', 'native'] as const)
      expect(trial.distinct(kind)).toBeGreaterThanOrEqual(100);
    expect(trial.views.right).toBeGreaterThanOrEqual(100);
    expect([trial.searches.right, trial.searches.refused]).toEqual([16, 0]);
  }, 600_000);

  it('tokens that destroy themselves are true, in both ways', async () => {
    const mortals = await gethWithMortals();
    try {
      for (const network of [FROM_BYZANTIUM, AS_SHIPPED]) await expectTrueMortals(mortals, network);
    } finally {
      await mortals.stop();
    }
  }, 600_000);

  it('balances that share calls with hostile contracts are true', async () => {
    const client = createJsonRpcNode({ url: node.url, timeoutMs: 120_000 });
    const reader = new ChainReader({ node: client, network: FROM_BYZANTIUM, clock: systemClock });
    const booked = CHAIN.head - 100;
    const block = await reader.findBlock(node.heightOf(booked));
    const token = TOKENS.uni.address;
    const holders = Object.values(HOLDERS);
    const hostile = [CONTRACTS.gasBurner, CONTRACTS.huge, CONTRACTS.counter];
    const asked = Array.from({ length: 3_000 }, (_, i) => {
      const holder = holders[i % holders.length]!;
      const isHostile = i % 50 === 0;
      const target = isHostile ? hostile[(i / 50) % hostile.length]! : token;
      const amount = isHostile ? undefined : plan.ledger.balanceAt(token, holder, booked);
      return { item: balanceOfCall(target, holder), amount };
    });
    try {
      const outcomes = await reader.readMany(
        block,
        asked.map(({ item }) => [item]),
      );
      const found = outcomes.map((outcome) =>
        'error' in outcome ? outcome.error : readUint(outcome.results[0] as CallResult),
      );
      expect(found).toEqual(asked.map(({ amount }) => amount));
    } finally {
      await client.close();
    }
  }, 600_000);
});
