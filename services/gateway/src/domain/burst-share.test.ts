import { describe, expect, it } from '@jest/globals';
import { shareOf } from './burst-share.ts';

/** What a bucket that is full at the beginning gives in ten seconds, in rates of a second. */
const GIVEN_IN_TEN_SECONDS = 11;

describe('the part of a rate that a gateway gives', () => {
  it('is all of it where it is the only one', () => {
    expect(shareOf(1)).toBe(1);
    expect(shareOf(0)).toBe(1);
  });

  it('is enough for the rate where requests are spread evenly', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      expect(gateways * shareOf(gateways)).toBeGreaterThanOrEqual(1);
    }
  });

  it('keeps all together below twice the rate, also while half of them do not hear of the others', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      for (let cutOff = 0; cutOff <= gateways / 2; cutOff++) {
        const others = gateways - cutOff;
        const together = others * shareOf(others) + cutOff * shareOf(gateways);
        expect(GIVEN_IN_TEN_SECONDS * together).toBeLessThan(2 * 10);
      }
    }
  });
});
