/** Keeps a suite that compares a month's counts, or its limit, with its own requests within one month. */
import { systemClock } from '@hindsight/kernel/clock.ts';
import { periodOf } from '@hindsight/usage/calendar.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than such a suite takes, also on a machine that is busy with others. */
const SUITE_MS = 300_000;

/** Waits for the next month when this one ends within five minutes: counts and limits begin again with it. */
export async function untilMonthLasts(clock = systemClock): Promise<void> {
  const left = periodOf(clock.now()).end - clock.now();
  if (left < SUITE_MS) await sleep(left);
}
