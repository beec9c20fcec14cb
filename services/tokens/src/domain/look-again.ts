/** When a token that lacks a name is looked at again. */

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Seconds after the look before, by the times of blocks: an hour, a day, a week, a month; then no more. */
export const LOOK_AGAIN_AFTER: readonly number[] = [HOUR, DAY, 7 * DAY, 30 * DAY];

/** The time of the next look, or null where there is none. @param looks how many were taken after the first */
export function nextLook(looks: number, now: number, schedule: readonly number[]): number | null {
  const after = schedule[looks];
  return after === undefined ? null : now + after;
}
