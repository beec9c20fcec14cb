import { describe, expect, it } from '@jest/globals';
import { BurstLimiter } from './burst-limiter.ts';
import { burstShareOf } from './burst-share.ts';
import { DEMO_DAILY_SHARE, DemoShare } from './demo-share.ts';

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

describe('a bucket', () => {
  it('has room for a request, however many gateways divide the rate', () => {
    expect(new BurstLimiter({ now: () => 0 }, () => 100).take('p', 5)).toMatchObject({ waitMs: 0 });
  });

  it('holds no more than a second, and is not emptied by a clock that was set back', () => {
    let now = 1_000_000;
    const limiter = new BurstLimiter({ now: () => now });
    limiter.take('p', 10);
    now += 3_600_000;
    expect(limiter.take('p', 10)).toEqual({ waitMs: 0, left: 9 });
    now -= 3_600_000;
    expect(limiter.take('p', 10)).toEqual({ waitMs: 0, left: 8 });
  });
});

it('the share of a day is no larger for what was given back of the day before', () => {
  let now = 0;
  const share = new DemoShare({ now: () => now });
  const giveBack = share.take('10.0.0.1', 100);
  now += 86_400_000;
  share.take('10.0.0.1', 70);
  giveBack?.(99);
  expect(share.leftOf('10.0.0.1')).toEqual({ left: DEMO_DAILY_SHARE - 70, end: 2 * 86_400_000 });
});
