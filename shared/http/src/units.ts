/** What an answer costs of the month's limit: the gateway takes this header out, and reports the cost as `x-units`. */
import type { FastifyReply } from 'fastify';

/** The header in which a service names the cost of its answer; an answer without it costs one unit. */
export const UNITS_HEADER = 'x-hindsight-units';

/** Names what this answer costs. @param units a whole number from 1 */
export function setUnits(reply: FastifyReply, units: number): void {
  reply.header(UNITS_HEADER, String(units));
}
