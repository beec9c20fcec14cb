/** How late usage may be, and how long its producers are remembered because of that. */

const DAY_MS = 24 * 3_600_000;

/** Usage is counted up to this many days late. */
export const LATEST_DAYS = 35;

/** Nothing of a producer that was closed this long ago can still be counted: it would be too late. */
export const PRODUCER_FORGOTTEN_MS = (LATEST_DAYS + 2) * DAY_MS;

/** A producer that was closed this long ago needs no part of the records. */
export const PRODUCER_PRUNED_MS = DAY_MS;
