/** When a token that lacks a name is looked at again. */

/** Blocks after the look before, at 12 seconds each: an hour, a day, a week, a month; then no more. */
export const LOOK_AGAIN_AFTER: readonly number[] = [300, 7_200, 50_400, 216_000];

/** The height of the next look, or null where there is none. @param looks how many were taken after the first */
export function nextLook(looks: number, now: number, schedule: readonly number[]): number | null {
  const after = schedule[looks];
  return after === undefined ? null : now + after;
}
