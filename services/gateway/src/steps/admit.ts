import type { Clock } from '@hindsight/kernel/clock.ts';
import { ApiError, unavailable } from '@hindsight/kernel/errors.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { DEMO_ADDRESS, type BurstLimiter } from '../burst-limiter.ts';
import { DEMO_DAILY_SHARE, type DemoShare } from '../demo-share.ts';
import type { StreamSlots } from '../stream-slots.ts';
import {
  burstExceeded,
  demoDayExceeded,
  demoExceeded,
  keyCapExceeded,
  monthExceeded,
  RETRY_AFTER_SECONDS,
  streamsExceeded,
} from '../domain/refusals.ts';
import type { LeasedQuota } from '../quota/leased-quota.ts';
import { KeyCapUsedUp, LedgerUnavailable, MonthUsedUp, type Admission } from '../quota/project-quota.ts';
import type { UsageSpool } from '../ports.ts';
import { RateLimitStatus } from '../rate-limit-status.ts';

export interface Limits {
  readonly burst: BurstLimiter;
  readonly quota: Pick<LeasedQuota, 'leftOf'>;
  readonly clock: Clock;
}

export interface AdmitDeps extends Limits {
  readonly quota: LeasedQuota;
  readonly demoShare: DemoShare;
  readonly spool: UsageSpool;
}

/** An admitted request. */
export interface Admitted {
  /** Units of the month, which `settle` spends or releases. */
  readonly admission: Admission;
  /** What the answer says of the limits. */
  readonly status: RateLimitStatus;
}

/**
 * The second step: may this project ask now?
 * @param units the most that the request may cost
 * @param slots where it is a stream: it has one of them, until it leaves it
 * @throws {ApiError} 429 with the limit that is reached; 503 when it is not known, or the request could not be counted
 */
export async function admit(
  deps: AdmitDeps,
  project: FoundByKey,
  address: string,
  units: number,
  slots?: StreamSlots,
): Promise<Admitted> {
  const { quota, spool } = deps;
  const status = checkBurst(deps, project, address);
  if (!spool.accepting) throw refused('Usage cannot be recorded at the moment.', status);
  if (project.demo) checkDemoShare(deps, address, status, units);
  if (slots?.enter(project.id) === false) throw streamsExceeded(slots.kind, status.headers());
  const { plan, monthlyLimit: limit, month, key } = status.terms;
  try {
    const admitted = quota.admit(project.id, limit, units, key);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    status.note(admission, units);
    return { admission, status };
  } catch (error) {
    slots?.leave(project.id);
    if (project.demo) deps.demoShare.release(address, units - 1);
    if (error instanceof KeyCapUsedUp && key !== undefined) {
      const { left } = error;
      status.keyLeft = left;
      const refused = { limit: key.cap, headers: status.headers() };
      throw keyCapExceeded(refused, month.end, deps.clock.now(), { cost: units, left });
    }
    if (error instanceof MonthUsedUp) {
      const { left } = error;
      status.monthLeft = left;
      const headers = status.headers();
      throw monthExceeded({ plan, limit, headers }, month.end, deps.clock.now(), { cost: units, left });
    }
    if (error instanceof LedgerUnavailable)
      throw refused('The monthly limit cannot be checked now.', status, error);
    throw error;
  }
}

/** The burst limits alone, for what is answered without being counted. @throws {ApiError} 429 */
export function checkBurst(
  { burst, quota, clock }: Limits,
  project: FoundByKey,
  address: string,
): RateLimitStatus {
  const status = new RateLimitStatus(project, clock.now());
  status.monthLeft = quota.leftOf(project.id);
  const { key } = status.terms;
  if (key !== undefined) status.keyLeft = quota.leftOf(key.account);
  if (project.demo) {
    const { waitMs } = burst.takeForDemo(address);
    if (waitMs > 0) throw demoExceeded(DEMO_ADDRESS.rate, status.headers(), waitMs);
  }
  const { plan, rate: limit } = status.terms;
  const { waitMs, left } = burst.take(project.id, limit);
  status.burstLeft = left;
  if (waitMs > 0) throw burstExceeded({ plan, limit, headers: status.headers() }, waitMs);
  return status;
}

function checkDemoShare(
  { demoShare, clock }: AdmitDeps,
  address: string,
  status: RateLimitStatus,
  cost: number,
): void {
  const fullAt = demoShare.take(address, cost);
  if (fullAt === 0) return;
  const left = demoShare.leftOf(address);
  throw demoDayExceeded(DEMO_DAILY_SHARE, status.headers(), fullAt, clock.now(), { cost, left });
}

function refused(message: string, status: RateLimitStatus, cause?: unknown): ApiError {
  const { headers } = unavailable('store_unavailable', message, RETRY_AFTER_SECONDS);
  return new ApiError('store_unavailable', message, { cause, headers: { ...headers, ...status.headers() } });
}
