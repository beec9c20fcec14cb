/** A share of `npm run truth:logs`: what is searched in logs, over nodes that lag. */
import { expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { FLEETS } from './lag/fleets.ts';
import { LedgerChain } from './lag/ledger-chain.ts';
import { Random } from './lag/random.ts';
import { recoverFrom } from './lag/recovery.ts';
import { tryFleet } from './lag/trial.ts';

const ANSWERS = 12;
const random = new Random(7);
const chain = forAllTests(() => LedgerChain.start(random), 'stop');

it.each(FLEETS)('no short list is called complete: $name', async (fleet) => {
  const { count, faults } = await tryFleet(fleet, chain, { answers: ANSWERS, random });
  expect(faults).toEqual([]);
  expect([count.short, count.wrong]).toEqual([0, 0]);
  const isAnswered = fleet.name !== 'several URLs, none of them well';
  expect(count.right).toBeGreaterThan(isAnswered ? ANSWERS / 5 : 0);
});

it.each(['invalid block range params', 'Internal error'])(
  '%j is forgotten within a minute',
  async (trouble) => {
    expect(await recoverFrom(trouble, chain)).toBeLessThanOrEqual(60);
  },
);
