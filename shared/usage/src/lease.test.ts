import { expect, it } from '@jest/globals';
import { batchOf } from './lease.ts';

it('a producer that asks before a request waits keeps what it has', () => {
  expect(batchOf(1_000, [], 5)).toBe(10);
});

it('a batch is nothing where nothing is left, or of use', () => {
  expect(batchOf(0, [], 0)).toBe(0);
  expect(batchOf(5, [100], 90)).toBe(0);
  expect(batchOf(1_000, [], 0, 0)).toBe(0);
});
