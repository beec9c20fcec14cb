import { expect, it } from '@jest/globals';
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { DatabaseSync } from 'node:sqlite';
import { freeAt, heldInSql, isHeld } from './leases.ts';

const NOW = 1_000_000;

it('a lease is in force until its end, unless that is more than an hour from now', () => {
  const ends = [0, NOW - 1, NOW, NOW + 1, NOW + HOUR_MS, NOW + HOUR_MS + 1];
  const held = [false, false, false, true, true, false];
  expect(ends.map((until) => isHeld(until, NOW))).toEqual(held);
  const database = new DatabaseSync(':memory:');
  const asked = database.prepare(`SELECT ${heldInSql(':until', ':now')} AS held`);
  expect(ends.map((until) => asked.get({ until, now: NOW })?.held === 1)).toEqual(held);
  database.close();
  expect(freeAt(NOW)).toEqual({ $not: { $gt: NOW, $lte: NOW + HOUR_MS } });
});
