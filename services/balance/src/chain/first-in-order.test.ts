import { describe, expect, it } from '@jest/globals';
import { FirstInOrder } from './first-in-order.ts';

const KEYS = Array.from({ length: 1_000 }, (_, i) => String((i * 7_919) % 1_000).padStart(3, '0'));

describe('the first in order', () => {
  it.each([
    ['', 0],
    ['499', 500],
    ['998', 999],
    ['999', 1_000],
  ])('after %j are the smallest keys, in any order of arrival, each once', (after, from) => {
    const first = new FirstInOrder<string>(5, after);
    for (const key of [...KEYS, ...KEYS.toReversed()]) first.add(key, () => key);
    const expected = KEYS.toSorted().slice(from, from + 5);
    expect(first.entries.map(([key, make]) => [key, make()])).toEqual(expected.map((key) => [key, key]));
  });

  it('are made only when they are read', () => {
    const first = new FirstInOrder<string>(2, '');
    for (const key of KEYS)
      first.add(key, () => {
        throw new Error(`${key} was made`);
      });
    expect(first.entries.map(([key]) => key)).toEqual(['000', '001']);
  });
});
