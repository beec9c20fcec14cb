/** Bounds on the lateness of usage, and so on the memory of its producers. */
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { periodOf } from './calendar.ts';

/** Usage is counted up to this many days late. */
export const LATEST_DAYS = 35;

/** Events of a producer closed this long ago would be too late to count. */
export const PRODUCER_FORGOTTEN_MS = (LATEST_DAYS + 2) * DAY_MS;

/** A producer that was closed this long ago is removed from the records. */
export const PRODUCER_PRUNED_MS = DAY_MS;

/** Counters of a month are copied until it can no longer change, and a week more. */
const COPIED_DAYS = LATEST_DAYS + 7;

/** When the copies of a month's counters may go, Unix milliseconds. */
export function expiryOf(month: string): number {
  return periodOf(Date.parse(month)).end + COPIED_DAYS * DAY_MS;
}
