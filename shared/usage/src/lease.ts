/** A batch is this share of the units left: large at first, one by one near the limit. */
const SHARE = 100;

/** At most this many units are lost with the disk of a gateway, until the month is settled. */
const MAX_BATCH = 10_000;

/** The units that a producer should hold when this many are left. @returns at least 1 */
export function shareOf(unclaimed: number): number {
  return Math.min(Math.max(Math.floor(unclaimed / SHARE), 1), MAX_BATCH);
}

/**
 * Units to lease: a share of those left, or the cost of the waiting requests that still fit, in their order.
 * A request that does not fit gets nothing, so that smaller ones have the rest.
 * @param waiting the most that each waiting request may cost
 * @param atHand units that the producer has, too few for any of them
 * @param most units that the producer can use beyond those of waiting requests
 * @returns 0 when nothing is left, or nothing is of use
 */
export function batchOf(
  unclaimed: number,
  waiting: readonly number[],
  atHand: number,
  most = Infinity,
): number {
  let needed = 0;
  let spare = atHand;
  for (const cost of waiting) {
    if (needed + cost <= unclaimed) {
      needed += cost;
    } else if (needed + cost - spare <= unclaimed) {
      needed += Math.max(cost - spare, 0);
      spare = 0;
    }
  }
  // A client that repeats a request that does not fit must not gather up the rest, share by share.
  const inVain = waiting.length > 0 && needed === 0;
  const share = Math.min(shareOf(unclaimed), most) - (inVain ? atHand : 0);
  return Math.min(Math.max(share, needed), unclaimed);
}
