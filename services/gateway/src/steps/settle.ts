import { counts, statusOf } from '../usage/counts.ts';
import type { UsageRecord } from '../usage/record.ts';
import type { Answer } from '../upstreams/forward.ts';
import type { Admission } from '../limits/quota/project-quota.ts';
import type { AuthorizedRequest } from './request.ts';
import type { Passage } from './settlements/settlement.ts';
import { notRecorded } from '../domain/refusals.ts';

export function recordOf(
  { project: { id: projectId, key }, endpoint }: AuthorizedRequest,
  { day, ofKey }: Admission,
  statusCode: number,
): UsageRecord {
  const record = { projectId, day, endpoint, status: statusOf(statusCode), key: key.id };
  return ofKey === undefined ? record : { ...record, capped: true };
}

/**
 * Settles an answer before it goes out: when this resolves, its cost is on disk and taken from the
 * admission's units; the others are available again.
 * @returns its cost
 * @throws {ApiError} 503 when it could not be recorded: the answer must not go out, and nothing is counted
 */
export async function settle(
  { deps: { quota, spool }, admission, authorized }: Passage,
  answer: Pick<Answer, 'statusCode' | 'units' | 'discard'>,
): Promise<number> {
  // Never more than was reserved, whatever a service reports.
  const units = counts(answer.statusCode) ? Math.min(Math.max(answer.units ?? 1, 1), admission.units) : 0;
  try {
    if (units > 0) await spool.record(recordOf(authorized, admission, answer.statusCode), units);
  } catch (error) {
    quota.done(admission, 0);
    answer.discard(new Error('it could not be counted'));
    throw notRecorded(error);
  }
  quota.done(admission, units);
  return units;
}
