/**
 * All gateways together never give more than twice a rate over ten seconds, a full bucket at
 * the beginning included: 1.2 times a second's worth, eleven times. That leaves room for half of them to be cut off:
 * those keep their parts while the others share theirs out again. A fifth more than the rate makes up for a balancer
 * that does not spread requests evenly.
 */
const TOGETHER = 1.2;

/** The part of a rate that one of this many gateways gives; all of it where it is the only one. */
export function shareOf(gateways: number): number {
  return Math.min(1, TOGETHER / Math.max(gateways, 1));
}
