import { describe, expect, it } from '@jest/globals';
import { shareOf } from './burst-share.ts';

/** What an initially full bucket grants in ten seconds, in multiples of the rate. */
const GIVEN_IN_TEN_SECONDS = 11;

describe('the share of a rate that a gateway grants', () => {
  it('is all of it for a single gateway', () => {
    expect(shareOf(1)).toBe(1);
    expect(shareOf(0)).toBe(1);
  });

  it('adds up to the rate when requests are spread evenly', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      expect(gateways * shareOf(gateways)).toBeGreaterThanOrEqual(1);
    }
  });

  it('keeps the total below twice the rate, even while half of the gateways are cut off', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      for (let cutOff = 0; cutOff <= gateways / 2; cutOff++) {
        const others = gateways - cutOff;
        const together = others * shareOf(others) + cutOff * shareOf(gateways);
        expect(GIVEN_IN_TEN_SECONDS * together).toBeLessThan(2 * 10);
      }
    }
  });
});
