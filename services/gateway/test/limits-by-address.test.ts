/** Limits by client address: an IPv6 client is its /64, which is what one customer is assigned. */
import { describe, expect, it } from '@jest/globals';
import { BurstLimiter } from '../src/limits/burst-limiter.ts';
import { GuessGuard } from '../src/keys/guess-guard.ts';

const clock = { now: () => Date.UTC(2026, 10, 21, 12) };
/** Many addresses of one /64, and another client's. */
const ownOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `2001:db8:1:2::${(i + 1).toString(16)}`);
const OTHER = '2001:db8:1:3::1';

describe('the demo key’s burst limit', () => {
  const takeAll = (addresses: readonly string[]): number[] => {
    const burst = new BurstLimiter(clock);
    return addresses.map((address) => burst.takeForDemo(address).waitMs);
  };

  it('is shared by all addresses of a /64', () => {
    const waits = takeAll([...ownOf(6), OTHER]);
    expect(waits.map((wait) => wait === 0)).toEqual([true, true, true, true, true, false, true]);
  });

  it('is one per IPv4 address, however it is written', () => {
    const written = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1'];
    const waits = takeAll([...written, ...written, '192.0.2.2']);
    expect(waits.map((wait) => wait === 0)).toEqual([true, true, true, true, true, false, true]);
  });
});

describe('guesses at keys', () => {
  it('are counted for all addresses of a /64 together', async () => {
    const guard = new GuessGuard(clock);
    // The free ones, and then as many as may wait; none of these is waited for.
    const guesses = ownOf(30).map((address) => guard.guessed(address));
    expect(guard.admits('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(false);
    expect(guard.admits(OTHER)).toBe(true);
    await Promise.all(guesses);
    expect(guard.admits('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(true);
  });
});
