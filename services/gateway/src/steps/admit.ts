import type { Clock } from '@hindsight/shared/clock.ts';
import { ApiError, unavailable } from '@hindsight/shared/errors.ts';
import { limitsOf, PLANS, type Project } from '@hindsight/shared/projects/project.ts';
import { periodOf, type Period } from '@hindsight/shared/usage/calendar.ts';
import type { BurstLimiter } from '../burst-limiter.ts';
import { rateHeaders, type RateHeaders } from '../domain/rate-headers.ts';
import { burstExceeded, demoExceeded, monthExceeded } from '../domain/refusals.ts';
import { LedgerAway, MonthUsedUp, type Admission, type LeasedQuota } from '../leased-quota.ts';
import type { UsageSpool } from '../ports.ts';

/** What the step stands on. */
export interface Admitting {
  readonly burst: BurstLimiter;
  readonly quota: LeasedQuota;
  readonly spool: UsageSpool;
  readonly clock: Clock;
}

/** A request that may be forwarded. */
export interface Admitted {
  readonly admission: Admission;
  readonly headers: RateHeaders;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * The second step: may this project ask now? Takes a unit of the month, which `settle` spends or sets free.
 * @throws {ApiError} 429 with the limit that is reached; 503 when it cannot be told, or could not be counted
 */
export async function admit(
  { burst, quota, spool, clock }: Admitting,
  project: Project,
  address: string,
): Promise<Admitted> {
  const now = clock.now();
  const standing = new ProjectStanding(project, now);
  checkBurst(burst, project, address, standing);
  if (!spool.accepting) throw away('Usage cannot be recorded at the moment.', standing);
  try {
    const admitted = quota.admit(project.id, standing.monthlyLimit);
    const admission = admitted instanceof Promise ? await admitted : admitted;
    standing.monthLeft = admission.left;
    return { admission, headers: standing.headers() };
  } catch (error) {
    standing.monthLeft = 0;
    if (error instanceof MonthUsedUp) throw monthExceeded(standing.refused(), standing.month.end, now);
    if (error instanceof LedgerAway) throw away('The monthly limit cannot be checked now.', standing, error);
    throw error;
  }
}

/** The burst limits alone, for what is answered without being counted. @throws {ApiError} 429 */
export function checkBurst(
  burst: BurstLimiter,
  project: Project,
  address: string,
  standing: ProjectStanding,
): void {
  if (project.demo) {
    const { waitMs } = burst.takeForDemo(address);
    if (waitMs > 0) throw demoExceeded(standing.refused().headers, waitMs);
  }
  const { waitMs, left } = burst.take(project.id, standing.rate);
  standing.burstLeft = left;
  if (waitMs > 0) throw burstExceeded({ ...standing.refused(), limit: standing.rate }, waitMs);
}

function away(message: string, standing: ProjectStanding, cause?: unknown): ApiError {
  const { headers } = unavailable(message, RETRY_AFTER_SECONDS);
  return new ApiError(503, message, { cause, headers: { ...headers, ...standing.headers() } });
}

/** Where a project stands, as far as it is known on the way. */
export class ProjectStanding {
  readonly rate: number;
  readonly monthlyLimit: number;
  readonly month: Period;
  burstLeft = 0;
  monthLeft = 0;
  readonly #now: number;
  readonly #plan: string;

  constructor(project: Project, now: number) {
    const { rate, monthlyLimit } = limitsOf(project);
    this.rate = rate;
    this.monthlyLimit = monthlyLimit;
    this.month = periodOf(now);
    this.#now = now;
    this.#plan = PLANS[project.plan].title;
  }

  headers(): RateHeaders {
    const { rate, monthlyLimit, month, burstLeft, monthLeft } = this;
    return rateHeaders({ rate, monthlyLimit, month, burstLeft, monthLeft, now: this.#now });
  }

  refused(): { plan: string; limit: number; headers: Record<string, string> } {
    return { plan: this.#plan, limit: this.monthlyLimit, headers: { ...this.headers() } };
  }
}
