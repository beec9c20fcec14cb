/*
 * A lease is shorter than an hour. One that ends later was taken while the clock was ahead; if its holder is gone, its
 * work would stand still until then. So it counts as free.
 */
import { HOUR_MS } from '@hindsight/kernel/durations.ts';

/** True where a lease that ends at `until` is in force. */
export function isHeld(until: number, now: number): boolean {
  return until > now && until <= now + HOUR_MS;
}

/** The same as a condition of SQL. */
export function heldInSql(until: string, now: string): string {
  return `(${until} > ${now} AND ${until} <= ${now} + ${HOUR_MS})`;
}

/** The opposite, as the condition of a field in MongoDB. */
export function freeAt(now: number) {
  return { $not: { $gt: now, $lte: now + HOUR_MS } };
}
