/** Time as an input, so that a test decides what time it is. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };
