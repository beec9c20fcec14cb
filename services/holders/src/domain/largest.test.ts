import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Largest, shareOf, type Holding } from './largest.ts';

const holding = fc.record({
  holder: fc.constantFrom('0xA', '0xb', '0xC', '0xd', '0xE'),
  balance: fc.bigInt(1n, 9n),
});

describe('the largest of many', () => {
  it('are those that sorting all of them has first, whatever their order', () => {
    const size = (one: Holding, other: Holding): number =>
      one.balance === other.balance
        ? one.holder.toLowerCase().localeCompare(other.holder.toLowerCase())
        : Number(other.balance - one.balance);
    fc.assert(
      fc.property(fc.array(holding, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (all, most) => {
        const largest = new Largest(most);
        for (const one of all) largest.add(one);
        expect(largest.get()).toEqual(all.toSorted(size).slice(0, most));
      }),
    );
  });

  it('have a share in millionths, rounded down, where there is a supply to have it of', () => {
    expect(shareOf(1n, '3')).toBe(333_333);
    expect(shareOf(2n ** 256n - 1n, (2n ** 256n - 1n).toString())).toBe(1_000_000);
    expect(shareOf(1n, '0')).toBeNull();
    expect(shareOf(1n, null)).toBeNull();
    expect(shareOf(2n ** 255n, '1')).toBeNull();
  });
});
