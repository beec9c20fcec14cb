import { describe, expect, it } from '@jest/globals';
import { burstShareOf } from './burst-share.ts';

/** Grants of an initially full bucket in ten seconds, in multiples of the rate. */
const inTenSeconds = (gateways: number): number => {
  const { rate, bucket } = burstShareOf(gateways);
  return bucket + 10 * rate;
};

describe('the share of a rate that a gateway grants', () => {
  it('is all of it, and a bucket of a second, for a single gateway', () => {
    expect(burstShareOf(1)).toEqual({ rate: 1, bucket: 1 });
    expect(burstShareOf(0)).toEqual({ rate: 1, bucket: 1 });
  });

  it('adds up to the rate when requests are spread evenly', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      expect(gateways * burstShareOf(gateways).rate).toBeGreaterThanOrEqual(1);
    }
  });

  it('never has a bucket of more than a second', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      expect(burstShareOf(gateways).bucket).toBeLessThanOrEqual(1);
    }
  });

  it('keeps the total below twice the rate, even while half of the gateways are cut off', () => {
    for (let gateways = 1; gateways <= 50; gateways++) {
      for (let cutOff = 0; cutOff <= gateways / 2; cutOff++) {
        const others = gateways - cutOff;
        const together = others * inTenSeconds(others) + cutOff * inTenSeconds(gateways);
        expect(together).toBeLessThan(2 * 10);
      }
    }
  });
});
