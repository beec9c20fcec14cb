/**
 * Answers on a node that goes through Ethereum's next fork in the middle of its story: a share of the questions of each kind,
 * and one at each height around the fork; `npm run truth` asks them all. And answers where the node lies.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { amsterdamRules, TODAYS_RULES, type Network } from '@hindsight/chain/networks.ts';
import { Failover } from '@hindsight/chain/pool/failover.ts';
import { createJsonRpcNode } from '@hindsight/chain/rpc/json-rpc.ts';
import { sendOne } from '@hindsight/chain/rpc/node.ts';
import { carryPrograms } from '@hindsight/chain/state/multicall/carriers/carried-node.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import { balanceOfCall, readUint } from '@hindsight/chain/tokens/token-facts.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { readChain } from './inquiries.ts';
import { FALSEHOODS, itSurvives } from './lies.contract.ts';
import { FROM_BYZANTIUM } from './networks.ts';
import { seedGeth, type SeededNode } from './nodes.ts';
import { changes } from './searches.ts';
import { startService } from './service.ts';
import { tryNode } from './truth.ts';
import { tryViews } from './views.ts';

/** About half of the blocks come before it. */
const AMSTERDAM_AT = 150;
/** Less than the deposit of a full answer returned as code: 24,576 bytes at 1,530 gas (EIP-8037). */
const GAS_CAP = 30_000_000;

interface EtherChange {
  readonly block: number;
  readonly cause: string;
  readonly transactions: readonly string[];
  readonly unexplained: string;
}

await describeOnServers('across Amsterdam', { env: process.env, own: ['geth-1.17'] }, () => {
  const plan = buildPlan();
  let node: SeededNode;

  beforeAll(async () => {
    node = await seedGeth(plan, {
      history: 'archive',
      stateScheme: 'path',
      amsterdamAt: AMSTERDAM_AT,
      gasCap: GAS_CAP,
      logIndex: false,
    });
  });
  afterAll(() => node?.stop());

  it('a share of every kind of question is true, and one at each height around the fork', async () => {
    const trial = await tryNode(node, FROM_BYZANTIUM, plan, {
      every: 17,
      from: 2,
      step: 8,
      borders: [AMSTERDAM_AT],
    });
    expect(trial.faults).toEqual([]);
    expect([trial.carrier, trial.oldestState]).toEqual(['revert', 0]);
    expect(trial.count('right')).toBe(trial.judged.length);
    const heights = new Set(trial.judged.map(({ inquiry }) => inquiry.height));
    const before = [...heights].filter((height) => height < AMSTERDAM_AT);
    // The sweep alone asks at so many. The rest of the share falls on more or fewer, as the node fills its blocks.
    expect(before.length).toBeGreaterThanOrEqual(20);
    expect(heights.size - before.length).toBeGreaterThanOrEqual(20);
    for (const height of [AMSTERDAM_AT - 1, AMSTERDAM_AT]) expect(heights).toContain(height);
    expect(trial.views.right).toBeGreaterThanOrEqual(30);
    expect(trial.searches.refused).toBe(0);
  });

  it('ether’s changes are named by logs from it on, and found in the state before it', async () => {
    const chain = await readChain(node.url, node.heightOf(plan.genesis.number));
    // Senders of ether, one of mere calls, and contracts.
    const { carol, dave, laura, nina, trent, victor, relay, vault } = HOLDERS;
    const holders = [carol, dave, laura, nina, trent, victor, relay, vault, TOKENS.weth.address];
    const service = await startService(node.url, FROM_BYZANTIUM);
    try {
      const asked = holders.map((holder) => changes(chain, null, holder));
      const trial = await tryViews(node, FROM_BYZANTIUM, service.url, asked);
      expect(trial).toEqual({ right: holders.length, refused: 0, faults: [] });
      const named = { before: 0, after: 0, fees: 0 };
      for (const { path } of asked) {
        const response = await fetch(`${service.url}/v1/eth-mainnet/${path}`);
        const body = (await response.json()) as { changes: EtherChange[] };
        for (const { block, cause, transactions, unexplained } of body.changes) {
          expect(transactions.length > 0).toBe(cause === 'transfer');
          named[block < AMSTERDAM_AT ? 'before' : 'after'] += transactions.length;
          if (cause === 'transfer' && unexplained.startsWith('-')) named.fees += 1;
        }
      }
      expect(named).toEqual({ before: 0, after: expect.any(Number), fees: expect.any(Number) });
      expect(Math.min(named.after, named.fees)).toBeGreaterThan(20);
    } finally {
      await service.stop();
    }
  });

  it.each([
    ['whose time is known', true, 131_072],
    ['that is not known yet', false, 49_152],
  ])(
    'a fork %s: by REVERT on both sides, and thousands of balances are true',
    async (_what, isKnown, taken) => {
      const { url } = node;
      const client = createJsonRpcNode({ url });
      const first = (await sendOne(client, 'eth_getBlockByNumber', [
        `0x${AMSTERDAM_AT.toString(16)}`,
        false,
      ])) as {
        timestamp: string;
      };
      const rules: Network['rules'] = isKnown
        ? [TODAYS_RULES, amsterdamRules(Number(first.timestamp))]
        : [TODAYS_RULES];
      // The chain runs ahead of the clock.
      const clock = { now: () => 1_000 * (Number(first.timestamp) + 1_000) };
      const carried = carryPrograms(createJsonRpcNode({ url, timeoutMs: 120_000 }), {
        network: { rules },
        clock,
      });
      const pool = new Failover({ nodes: [carried], chainId: 1, limits: { timeoutMs: 120_000 } });
      const { carrier, room } = await carried.probe();
      expect([carrier, room]).toMatchObject(['revert', { answered: 94_400, taken }]);
      expect(room!.gas).toBeLessThanOrEqual(isKnown ? 2 ** 24 : GAS_CAP);
      expect(carried.room(Number(first.timestamp))?.taken).toBe(taken);
      expect(carried.room(Number(first.timestamp) - 1)?.taken).toBe(49_152);
      const reader = new ChainReader({
        node: pool,
        network: { ...FROM_BYZANTIUM, rules },
        clock: systemClock,
      });
      const holders = Object.values(HOLDERS);
      const token = TOKENS.uni.address;
      for (const booked of [CHAIN.head - 250, CHAIN.head - 100]) {
        const height = node.heightOf(booked);
        const block = await reader.findBlock(height);
        const asked = Array.from({ length: 3_000 }, (_, i) => holders[i % holders.length]!);
        const outcomes = await reader.readMany(
          block,
          asked.map((holder) => [balanceOfCall(token, holder)]),
        );
        const found = outcomes.map((outcome) =>
          'error' in outcome ? outcome.error : readUint(outcome.results[0]),
        );
        expect(found).toEqual(asked.map((holder) => plan.ledger.balanceAt(token, holder, booked)));
      }
      await Promise.all([client.close(), pool.close()]);
    },
  );

  // Failures on the way are the same as on today's chain: they are tried on its archive, and on anvil.
  describe('a node that answers with', () => itSurvives(FALSEHOODS, plan, () => node));
});
