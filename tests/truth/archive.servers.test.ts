/**
 * Answers on geth's archive, by multicalls and by plain calls as before Byzantium: a share of the questions of each kind;
 * `npm run truth` asks them all, in both ways. And answers where it lies, or fails.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { carriedJsonRpc } from '@hindsight/chain/test/support/carried-json-rpc.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { balanceOfCall, readUint } from '@hindsight/chain/tokens/token-facts.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { itSurvives, LIES } from './lies.contract.ts';
import { expectTrueMortals } from './mortal.contract.ts';
import { gethWithMortals } from './mortal.ts';
import { AS_SHIPPED, FROM_BYZANTIUM } from './networks.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { tryNode } from './truth.ts';

await describeOnServers('on a geth archive', { env: process.env, own: ['geth-1.17'] }, () => {
  const plan = buildPlan();
  let node: SeededNode;
  let mortals: SeededNode;

  beforeAll(async () => {
    [node, mortals] = await Promise.all([
      seedGeth(plan, { history: 'archive', stateScheme: 'hash' }),
      gethWithMortals(),
    ]);
  });
  afterAll(() => Promise.all([node, mortals].map((one) => one?.stop())));

  it.each([
    ['in one eth_call', FROM_BYZANTIUM, { every: 19, step: 9 }],
    ['by plain calls, as before Byzantium', AS_SHIPPED, { every: 19, from: 1, step: 9, holderHeights: 0 }],
  ])('a share of every kind of question is true: %s', async (_how, network, asked) => {
    const trial = await tryNode(node, network, plan, asked);
    expect(trial.faults).toEqual([]);
    expect(trial.carrier).toBe('revert');
    expect(trial.count('right')).toBe(trial.judged.length);
    for (const kind of ['balance', 'allowance', 'native'] as const)
      expect(trial.distinct(kind)).toBeGreaterThanOrEqual(50);
    expect(trial.views.right).toBeGreaterThanOrEqual(30);
    expect(trial.searches.right).toBeGreaterThanOrEqual(10);
    expect(trial.searches.refused).toBe(0);
  });

  // In one eth_call on anvil.
  it('tokens that destroy themselves are true, by plain calls', async () => {
    await expectTrueMortals(mortals, AS_SHIPPED);
  });

  it('balances that share calls with hostile contracts are true', async () => {
    const client = carriedJsonRpc({ url: node.url, timeoutMs: 120_000 });
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
        'error' in outcome ? outcome.error : readUint(outcome.results[0]),
      );
      expect(found).toEqual(asked.map(({ amount }) => amount));
    } finally {
      await client.close();
    }
  });

  describe('that answers with', () => itSurvives(LIES, plan, () => node));
});
