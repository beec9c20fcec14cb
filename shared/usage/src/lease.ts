/** A batch is this share of what is left: large while there is plenty, one by one near the limit. */
const SHARE = 100;

/** At most this many units are lost with the disk of a gateway, until the month is settled. */
const MAX_BATCH = 10_000;

/**
 * How many units are leased when this many are left, and this many requests are waiting.
 * @returns 0 when nothing is left
 */
export function batchOf(unclaimed: number, waiting: number): number {
  const share = Math.min(Math.max(Math.floor(unclaimed / SHARE), 1), MAX_BATCH);
  return Math.max(Math.min(Math.max(share, waiting), unclaimed), 0);
}
