/**
 * A follower of the orders' stream that is killed and resumed misses no order and gets none twice. `npm run bench
 * orders-resumed` kills it 100 times under 200 orders a second.
 */
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { expect, it } from '@jest/globals';
import { runFollower } from '../support/orders/follower-run.ts';

const KILLS = rounds(5);
const PER_SECOND = 40;
const WITHIN_MS = 300_000 + KILLS * 30_000;

it(
  'a follower that is killed and resumed has each order once, whichever service dies meanwhile',
  async () => {
    const report = await runFollower({ kills: KILLS, perSecond: PER_SECOND });
    expect(report).toMatchObject({ kills: KILLS, missed: 0, twice: 0, disordered: 0 });
    expect(report.serviceKills).toBeGreaterThan(0);
    expect(report.taken).toBeGreaterThan(0);
  },
  WITHIN_MS,
);
