/** Carriers by what a question costs: the fewest requests, then the fewest bytes. */
import { describe, expect, it } from '@jest/globals';
import { amsterdamRules, TODAYS_RULES } from '../../../networks.ts';
import { OVERRIDE, RETURN, REVERT } from './carrier.ts';
import { compareCosts, costOf, type Carried } from './cost.ts';

const whole: Carried = { room: REVERT.room(TODAYS_RULES), around: 60, text: 0 };
const override: Carried = { room: OVERRIDE.room(TODAYS_RULES), around: 200, text: 0 };
const byCode: Carried = { room: RETURN.room(TODAYS_RULES), around: 60, text: 0 };
const part = (divisor: number): Carried => ({
  ...whole,
  room: { ...whole.room, answered: Math.floor(whole.room.answered / divisor) },
});

describe('the cost of a large question', () => {
  it('is one request with all room, and two with that of code', () => {
    expect([whole, override, byCode].map((carried) => costOf(carried).requests)).toEqual([1, 1, 2]);
    expect(costOf({ ...byCode, room: RETURN.room(amsterdamRules(0)) }).requests).toBe(2);
  });

  it.each([
    ['requests come first, however many bytes they take', { ...whole, text: 1 }, byCode],
    ['of equal requests, fewer bytes around a call', whole, override],
    ['of equal requests, fewer bytes of text', override, { ...whole, text: 1 }],
    ['of equal requests, fewer calls', part(2), byCode],
    ['half of a revert’s data is more than code has', part(2), part(4)],
    ['less than code has is not better than code', byCode, part(8)],
  ])('%s', (_rule, better, worse) => {
    expect(compareCosts(costOf(better), costOf(worse))).toBeLessThan(0);
    expect(compareCosts(costOf(worse), costOf(better))).toBeGreaterThan(0);
  });

  it('counts all bytes that a node receives and sends', () => {
    // 2 calls of 2,290 balances: 21 and 41 bytes each, two digits a byte.
    const { bytes } = costOf({ ...whole, around: 0 });
    expect(bytes).toBeGreaterThan(4_580 * 62 * 2);
    expect(bytes).toBeLessThan(4_580 * 62 * 2 + 2 * 2 * 1_200);
  });
});
