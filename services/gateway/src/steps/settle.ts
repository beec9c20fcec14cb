import { unavailable } from '@hindsight/kernel/errors.ts';
import { counts } from '../domain/counts.ts';
import type { UsageSpool } from '../ports.ts';
import type { LeasedQuota } from '../quota/leased-quota.ts';
import type { Admission } from '../quota/project-quota.ts';
import { RETRY_AFTER_SECONDS } from '../domain/refusals.ts';

export interface SettleDeps {
  readonly quota: LeasedQuota;
  readonly spool: UsageSpool;
}

/** What an answer counts for. */
export interface Counted {
  readonly projectId: string;
  /** The route's name. */
  readonly endpoint: string;
}

/**
 * The last step, before the answer goes out: what counts is on disk when this resolves, and the admission's unit is spent;
 * else the unit is at hand again.
 * @throws {ApiError} 503 when it could not be recorded: the answer must not go out, and nothing is counted
 */
export async function settle(
  { quota, spool }: SettleDeps,
  admission: Admission,
  { projectId, endpoint }: Counted,
  statusCode: number,
): Promise<void> {
  const isCounted = counts(statusCode);
  try {
    if (isCounted) await spool.record({ projectId, day: admission.day, endpoint });
  } catch (error) {
    quota.done(admission, false);
    throw unavailable('Usage cannot be recorded at the moment.', RETRY_AFTER_SECONDS, error);
  }
  quota.done(admission, isCounted);
}
