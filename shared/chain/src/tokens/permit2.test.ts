import { describe, expect, it } from '@jest/globals';
import { readExpiration } from './permit2.ts';

const words = (...values: readonly bigint[]): Buffer =>
  Buffer.from(values.map((value) => value.toString(16).padStart(64, '0')).join(''), 'hex');
const FOREVER = 2n ** 48n - 1n;

describe('the expiration of an allowance', () => {
  it.each([0n, 1_700_000_000n, FOREVER])('is the second word of an answer (%s)', (expiration) => {
    expect(readExpiration(words(5n, expiration, 0n))).toBe(Number(expiration));
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['one word', words(1n)],
    ['half of a word more', Buffer.concat([words(1n), Buffer.alloc(16)])],
    ['more than 48 bits', words(1n, FOREVER + 1n, 0n)],
  ])('is not there in an answer of another contract: %s', (_what, data) => {
    expect(readExpiration(data)).toBeUndefined();
  });
});
