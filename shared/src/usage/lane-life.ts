/** How long a gateway's lane lives without a word. Each side measures with one clock of its own. */

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** After a renewal a gateway spends what it holds for so long, by its own clock. */
export const LANE_LEASE_MS = 10 * MINUTE_MS;

/** A lane that was silent for so long, by the store's clock, spends nothing any more: its last answers are out too. */
export const LANE_DEAD_MS = LANE_LEASE_MS + 15 * MINUTE_MS;

/** Usage is counted up to so many days late. */
export const LATEST_DAYS = 35;

/** Nothing of a lane that ended so long ago can still be counted: it would be too late. */
export const LANE_FORGOTTEN_MS = (LATEST_DAYS + 2) * DAY_MS;

/** A lane that was closed so long ago needs no place in the records. */
export const LANE_PRUNED_MS = DAY_MS;
