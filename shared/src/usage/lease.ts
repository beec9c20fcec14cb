/** A block is this share of what is left: large while there is plenty, one by one near the limit. */
const SHARE = 100;

/** So that a gateway that dies keeps no more than this from being used. */
const LARGEST_BLOCK = 10_000;

/**
 * How many units are handed out when so many are left, and so many requests are waiting.
 * @returns 0 when nothing is left
 */
export function blockOf(unclaimed: number, waiting: number): number {
  const share = Math.min(Math.max(Math.floor(unclaimed / SHARE), 1), LARGEST_BLOCK);
  return Math.max(Math.min(Math.max(share, waiting), unclaimed), 0);
}
