/**
 * Cost of an answer in units of the month's limit: the gateway removes this header, and reports the cost as
 * `x-units`.
 */
import type { FastifyReply } from 'fastify';

/** Header in which a service reports the cost of its answer; an answer without it costs one unit. */
export const UNITS_HEADER = 'x-hindsight-units';

/** Sets the cost of this answer. @param units a whole number from 1 */
export function setUnits(reply: FastifyReply, units: number): void {
  reply.header(UNITS_HEADER, String(units));
}
