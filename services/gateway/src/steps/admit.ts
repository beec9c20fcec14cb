import type { Clock } from '@hindsight/shared/clock.ts';
import { ApiError, unavailable } from '@hindsight/shared/errors.ts';
import type { Project } from '@hindsight/shared/projects/project.ts';
import type { BurstLimiter } from '../burst-limiter.ts';
import { burstExceeded, demoExceeded, monthExceeded } from '../domain/refusals.ts';
import type { LeasedQuota } from '../leased-quota.ts';
import { LedgerAway, MonthUsedUp, type Admission } from '../quota-account.ts';
import type { UsageSpool } from '../ports.ts';
import { Standing } from '../standing.ts';

/** What the step stands on. */
export interface Admitting {
  readonly burst: BurstLimiter;
  readonly quota: LeasedQuota;
  readonly spool: UsageSpool;
  readonly clock: Clock;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * The second step: may this project ask now? Takes a unit of the month, which `settle` spends or sets free, and adds to
 * the answer's headers what is left.
 * @throws {ApiError} 429 with the limit that is reached; 503 when it cannot be told, or could not be counted
 */
export async function admit(
  { burst, quota, spool, clock }: Admitting,
  project: Project,
  address: string,
  headers: string[],
): Promise<Admission> {
  const now = clock.now();
  const standing = new Standing(project, now);
  checkBurst(burst, project, address, standing);
  if (!spool.accepting) throw away('Usage cannot be recorded at the moment.', standing);
  const { plan, monthlyLimit: limit, month } = standing.terms;
  try {
    const admitted = quota.admit(project.id, limit);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    standing.monthLeft = admission.left;
    standing.writeTo(headers);
    return admission;
  } catch (error) {
    standing.monthLeft = 0;
    if (error instanceof MonthUsedUp)
      throw monthExceeded({ plan, limit, headers: standing.headers() }, month.end, now);
    if (error instanceof LedgerAway) throw away('The monthly limit cannot be checked now.', standing, error);
    throw error;
  }
}

/** The burst limits alone, for what is answered without being counted. @throws {ApiError} 429 */
export function checkBurst(burst: BurstLimiter, project: Project, address: string, standing: Standing): void {
  if (project.demo) {
    const { waitMs } = burst.takeForDemo(address);
    if (waitMs > 0) throw demoExceeded(standing.headers(), waitMs);
  }
  const { plan, rate: limit } = standing.terms;
  const { waitMs, left } = burst.take(project.id, limit);
  standing.burstLeft = left;
  if (waitMs > 0) throw burstExceeded({ plan, limit, headers: standing.headers() }, waitMs);
}

function away(message: string, standing: Standing, cause?: unknown): ApiError {
  const { headers } = unavailable(message, RETRY_AFTER_SECONDS);
  return new ApiError(503, message, { cause, headers: { ...headers, ...standing.headers() } });
}
