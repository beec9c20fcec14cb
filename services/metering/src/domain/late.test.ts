import { expect, it } from '@jest/globals';
import { daysInTime } from './late.ts';

const MIDNIGHT = Date.UTC(2026, 11, 1);
const MINUTE_MS = 60_000;

it.each([
  ['a clock that is 20 minutes ahead, around midnight', '2026-12-01', MIDNIGHT - 20 * MINUTE_MS],
  ['a clock in a time zone of its own', '2026-12-01', MIDNIGHT - 14 * 60 * MINUTE_MS],
  ['35 days ago', '2026-10-27', MIDNIGHT],
  ['a day that ended 35 days ago', '2026-10-26', MIDNIGHT],
])('usage of %s counts', (_what, day, now) => {
  expect(daysInTime(now, 35)(day)).toBeUndefined();
});

it.each([
  ['a day that begins in more than a day', '2026-12-02', MIDNIGHT - MINUTE_MS, '2026-12-02 is in the future'],
  ['36 days ago', '2026-10-25', MIDNIGHT + MINUTE_MS, '2026-10-25 is more than 35 days ago'],
])('usage of %s does not count', (_what, day, now, reason) => {
  expect(daysInTime(now, 35)(day)).toBe(reason);
});
