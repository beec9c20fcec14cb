/** Time as an input, so that a test decides what time it is. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/**
 * True for `ms` milliseconds after a moment `at`. It is false where the clock was set back by more since, so that nothing waits
 * until the former time comes again.
 */
export function isRecent(at: number, ms: number, now: number): boolean {
  return Math.abs(now - at) < ms;
}
