/**
 * Answers on anvil against the node's own storage and the seeding plan's ledger: a share of the questions of each kind on each
 * token; `npm run truth` asks them all.
 */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { HOLDERS } from '@hindsight/devchain/world.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { isOfOneNetwork, unasked } from './asked.ts';
import { claimsOf } from './claims.ts';
import { inquire, readChain } from './inquiries.ts';
import { judgeAll } from './judge.ts';
import { askedOnce, untilAnswered } from './patience.ts';
import { tryLedgers, worldLedgers } from './ledgers.ts';
import { AS_SHIPPED } from './networks.ts';
import { seededAnvil } from './nodes.ts';
import { readTruth } from './raw-truth.ts';
import { startService } from './service.ts';
import { tryNode } from './truth.ts';

const plan = buildPlan();
const node = forAllTests(async () => seededAnvil(await sharedDevchain(process.env)), 'stop');

describe('on anvil', () => {
  it('a share of every kind of question on every token is true, by height, date and name', async () => {
    const trial = await tryNode(node, AS_SHIPPED, plan, {
      every: 13,
      everyToken: true,
      step: 6,
    });
    expect(trial.faults).toEqual([]);
    expect(trial.carrier).toBe('override');
    expect(trial.count('right')).toBe(trial.judged.length);
    expect(trial.distinct('balance')).toBeGreaterThanOrEqual(250);
    expect(trial.distinct('allowance')).toBeGreaterThanOrEqual(60);
    expect(trial.distinct('native')).toBeGreaterThanOrEqual(120);
    expect([trial.views.right, trial.views.refused]).toEqual([expect.any(Number), 0]);
    expect(trial.views.right).toBeGreaterThanOrEqual(60);
    expect([trial.holders.right, trial.holders.refused]).toEqual([73, 0]);
    expect(trial.tokens).toMatchObject({ right: 12, refused: 0 });
    expect(unasked(trial.asked, isOfOneNetwork)).toEqual([]);
    expect(trial.searches.right).toBeGreaterThanOrEqual(30);
    expect(trial.searches.refused).toBe(0);
  });

  it('books, statements and changes of some holders are those of the ledger', async () => {
    const { alice, treasury } = HOLDERS;
    const trials = await tryLedgers(node, AS_SHIPPED, worldLedgers(plan, [alice, treasury]));
    expect(trials.flatMap(({ faults }) => faults)).toEqual([]);
    for (const { asset, books, periods } of trials)
      expect([asset, books, periods]).toEqual([asset, 602, 600]);
    expect(trials.reduce((sum, { changes }) => sum + changes, 0)).toBeGreaterThan(20);
  });

  it('would notice if answers were a unit off, at another block, or errors', async () => {
    const chain = await readChain(node.url, plan.genesis.number);
    const claims = claimsOf(plan.ledger)
      .filter(({ block, absent, by }) => block > chain.first && absent === undefined && by === 'height')
      .slice(0, 60);
    const inquiries = inquire(node, chain, plan.ledger, claims);
    const truths = await readTruth(node.url, inquiries);
    const verdictsOn = async (
      url: string,
      held: ReturnType<typeof hold>,
      answered = untilAnswered,
    ): Promise<Set<string>> =>
      new Set((await judgeAll(url, AS_SHIPPED, chain, ...held, answered)).map(({ verdict }) => verdict));
    const hold = (amounts: bigint, heights: number): [typeof inquiries, typeof truths] => [
      inquiries.map((inquiry) => ({ ...inquiry, height: inquiry.height - heights })),
      truths.map((truth) => (truth.kind === 'amount' ? { ...truth, amount: truth.amount + amounts } : truth)),
    ];
    const service = await startService(node.url, AS_SHIPPED);
    const cutOff = await startService('http://127.0.0.1:9', AS_SHIPPED);
    try {
      expect(await verdictsOn(service.url, hold(0n, 0))).toEqual(new Set(['right']));
      expect(await verdictsOn(service.url, hold(1n, 0))).toEqual(new Set(['wrong']));
      expect(await verdictsOn(service.url, hold(0n, 1))).toEqual(new Set(['wrong']));
      expect(await verdictsOn(cutOff.url, hold(0n, 0), askedOnce)).toEqual(new Set(['needless']));
    } finally {
      await service.stop();
      await cutOff.stop();
    }
  });
});
