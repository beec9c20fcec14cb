/** Late usage is counted in its own month, within limits. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';

/**
 * Around midnight usage of a clock that is ahead belongs to a day that has not begun here. It counts: refused usage is
 * never counted, since later events of its producer are. A day that begins a day from now or later is a mistake.
 */
const AHEAD_MS = DAY_MS;

/**
 * Says why a day is out of time: it ended more than `latestDays` ago, when its month may be settled, or has not begun.
 * @returns undefined for a day in which usage counts
 */
function outOfTime(day: string, now: number, latestDays: number): string | undefined {
  const start = Date.parse(day);
  if (start + DAY_MS + latestDays * DAY_MS < now) return `${day} is more than ${latestDays} days ago`;
  if (start > now + AHEAD_MS) return `${day} is in the future`;
  return undefined;
}

/** The same, for a batch: each day is looked at once. */
export function daysInTime(now: number, latestDays: number): (day: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (day) => {
    if (!known.has(day)) known.set(day, outOfTime(day, now, latestDays));
    return known.get(day);
  };
}
