/** The price of rows. */

/** One unit pays for this many rows, once the first of them is there. */
export const ROWS_PER_UNIT = 100;
/** Most rows of a body that is answered as it comes. */
export const MAX_STREAMED_ROWS = 1_000_000;
/** Most rows of a JSON body. */
export const MAX_JSON_ROWS = 1_000;

/** The units of a number of rows or of other items: one for each `perUnit` that were started. */
export function unitsOf(rows: number, perUnit = ROWS_PER_UNIT): number {
  return Math.ceil(rows / perUnit);
}
