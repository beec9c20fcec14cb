/**
 * All gateways together never give more than twice a rate over ten seconds (decisions.md, "Limits"), a full bucket at
 * the beginning included: 1.7 times a second's worth, eleven times.
 */
const TOGETHER = 1.7;

/** The part of a rate that one of so many gateways gives; all of it where it is the only one. */
export function shareOf(gateways: number): number {
  return Math.min(1, TOGETHER / Math.max(gateways, 1));
}
