import { expect, it } from '@jest/globals';
import { byRecord, DaySums, foldAfter } from './fold.ts';

const entry = { project: 'p', day: '2026-11-21', requests: 1, orders: 0 };

it('knows no account where an entry names no key', () => {
  const entries = [{ ...entry, capped: true }];
  expect(byRecord([{ producer: 'a', sequence: 1, entries }]).map(({ project }) => project)).toEqual(['p']);
});

it('has nothing to write where all was applied before', () => {
  const sums = new DaySums();
  const deltas = [1, 2].map((sequence) => ({ sequence, entry }));
  expect(foldAfter({ producer: 'a', deltas }, 2, sums)).toBeUndefined();
  expect([...sums.entries()]).toEqual([]);
  expect(foldAfter({ producer: 'a', deltas }, 1, sums)).toEqual({ sequence: 2, requests: 1, orders: 0 });
});
