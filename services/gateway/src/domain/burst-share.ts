/**
 * All gateways together never give more than twice a rate over ten seconds, a full bucket at
 * the beginning included: 1.2 times a second's worth, eleven times. That leaves room for half of them to be cut off:
 * those keep their shares while the others divide theirs again. A fifth more than the rate makes up for a balancer
 * that does not spread requests evenly.
 */
const TOGETHER = 1.2;

/** The share of a rate that one of this many gateways grants; all of it for a single one. */
export function shareOf(gateways: number): number {
  return Math.min(1, TOGETHER / Math.max(gateways, 1));
}
