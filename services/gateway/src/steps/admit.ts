import type { Clock } from '@hindsight/kernel/clock.ts';
import { ApiError, unavailable } from '@hindsight/kernel/errors.ts';
import type { FoundByKey } from '@hindsight/projects/ports.ts';
import { COST_HEADER } from '../domain/headers.ts';
import { DEMO_ADDRESS, type BurstLimiter } from '../limits/burst-limiter.ts';
import { DEMO_DAILY_SHARE, type DemoShare, type GiveBack } from '../limits/demo-share.ts';
import type { Slots } from '../limits/slots.ts';
import {
  burstExceeded,
  demoDayExceeded,
  demoExceeded,
  keyCapExceeded,
  monthExceeded,
  notRecorded,
} from '../domain/refusals.ts';
import type { LeasedQuota } from '../limits/quota/leased-quota.ts';
import {
  KeyCapUsedUp,
  LedgerUnavailable,
  MonthUsedUp,
  type Admission,
} from '../limits/quota/project-quota.ts';
import type { SpoolWriter } from '../usage/spool/spool-writer.ts';
import type { DirectExchange } from '../upstreams/direct-routes.ts';
import { hasBurstToken } from '../upstreams/own-api.ts';
import { RateLimitStatus } from '../limits/rate-limit-status.ts';

export interface Limits {
  readonly burst: BurstLimiter;
  readonly quota: Pick<LeasedQuota, 'leftOf'>;
  readonly clock: Clock;
}

export interface AdmitDeps extends Limits {
  readonly quota: LeasedQuota;
  readonly demoShare: DemoShare;
  readonly spool: SpoolWriter;
}

/** A request that asks to be admitted. */
export interface Entrant {
  /** The client's. */
  readonly address: string;
  /** True if the agent's message that caused it has taken its token of the burst limit. */
  readonly hasBurstToken: boolean;
}

/** The request on its way to `admit`. */
export function entrantOf({ client, request }: Pick<DirectExchange, 'client' | 'request'>): Entrant {
  return { address: client.address, hasBurstToken: hasBurstToken(request) };
}

export interface Admitted {
  /** Units of the month, which `settle` spends or releases. */
  readonly admission: Admission;
  /** Limits for the answer's headers. */
  readonly status: RateLimitStatus;
  /** Gives back the slot of a stream. */
  readonly leave: () => void;
  /** Gives back units of the demo's daily share; does nothing for any other key. */
  readonly giveBack: GiveBack;
}

/** A request within the burst limits. */
interface Entry {
  readonly project: FoundByKey;
  /** The client's. */
  readonly address: string;
  readonly status: RateLimitStatus;
}

/**
 * Admits a request within the project's limits besides the burst.
 * @param units the most that the request may cost
 * @param slots if it is a stream: it holds one until it leaves
 * @throws {ApiError} 429 with the limit that is reached; 503 when it is not known, or the request could not
 * be counted
 */
export async function admit(
  deps: AdmitDeps,
  { project, address, status: begun }: Entry,
  units: number,
  slots?: Slots,
): Promise<Admitted> {
  const status = ofThisMonth(deps, project, begun);
  if (!deps.spool.accepting) throw notRecorded(undefined, status.headers());
  const leave = slots?.enter(project, address, status.headers()) ?? (() => undefined);
  try {
    const giveBack = project.demo ? takeDemoShare(deps, address, status, units) : () => undefined;
    const admission = await reserve(deps, project, { giveBack, units, status });
    status.note(admission, units);
    return { admission, status, leave, giveBack };
  } catch (error) {
    leave();
    // It has waited for units over the end of their month.
    const isOver = deps.clock.now() >= status.terms.month.end;
    if (isOver && error instanceof ApiError && error.statusCode === 429)
      return admit(deps, { project, address, status }, units, slots);
    throw error;
  }
}

/** Takes the units of the month, and of the key's cap. @throws {ApiError} */
async function reserve(
  { quota, clock }: AdmitDeps,
  project: FoundByKey,
  { giveBack, units, status }: { giveBack: GiveBack; units: number; status: RateLimitStatus },
): Promise<Admission> {
  const { plan, monthlyLimit: limit, month, key } = status.terms;
  try {
    const admitted = quota.admit(project.id, limit, units, key);
    return admitted instanceof Promise ? await admitted : admitted;
  } catch (error) {
    giveBack(units - 1);
    if (error instanceof MonthUsedUp) {
      const { left } = error;
      const ofKey = error instanceof KeyCapUsedUp ? key : undefined;
      if (ofKey) status.keyLeft = left;
      else status.monthLeft = left;
      const usedUp = { cost: units, left, end: month.end, now: clock.now(), headers: status.headers() };
      throw ofKey
        ? keyCapExceeded({ limit: ofKey.cap, ...usedUp })
        : monthExceeded(plan, { limit, ...usedUp });
    }
    if (error instanceof LedgerUnavailable) {
      const message = 'The monthly limit cannot be checked now.';
      throw unavailable('store_unavailable', message, { cause: error, headers: status.headers() });
    }
    throw error;
  }
}

/** Takes a request's token of the burst limits. @throws {ApiError} 429 */
export function checkBurst(
  limits: Limits,
  project: FoundByKey,
  { address, hasBurstToken }: Entrant,
): RateLimitStatus {
  const { burst } = limits;
  const status = knownOf(limits, project);
  if (project.demo && !hasBurstToken) {
    const { waitMs } = burst.takeForDemo(address);
    if (waitMs > 0) throw demoExceeded(DEMO_ADDRESS.rate, status.headers(), waitMs);
  }
  const { plan, rate: limit } = status.terms;
  const { waitMs, left } = burst.take(project.id, limit, hasBurstToken ? 0 : 1);
  status.burstLeft = left;
  if (waitMs > 0) throw burstExceeded({ plan, limit, headers: status.headers() }, waitMs);
  return status;
}

/** Headers that tell a project's refused request what it cost, and the limits, of which nothing is taken. */
export function refusalHeaders(
  limits: Limits,
  project: FoundByKey,
  error: unknown,
): Readonly<Record<string, string>> {
  const headers = error instanceof ApiError ? error.headers : {};
  // Its key has expired: the limits are no longer its holder's to know.
  if ('www-authenticate' in headers) return {};
  const free = { [COST_HEADER]: '0' };
  if ('ratelimit' in headers) return free;
  return { ...free, ...statusNow(limits, project).headers() };
}

/** The limits as they are now. Nothing is taken of them. */
export function statusNow(limits: Limits, project: FoundByKey): RateLimitStatus {
  const status = knownOf(limits, project);
  status.burstLeft = limits.burst.take(project.id, status.terms.rate, 0).left;
  return status;
}

/** The limits of the month in which a request is admitted: its body may have come over the end of another. */
function ofThisMonth(limits: Limits, project: FoundByKey, begun: RateLimitStatus): RateLimitStatus {
  const { start, end } = begun.terms.month;
  const now = limits.clock.now();
  if (now >= start && now < end) return begun;
  const status = knownOf(limits, project);
  status.burstLeft = begun.burstLeft;
  return status;
}

function knownOf({ quota, clock }: Limits, project: FoundByKey): RateLimitStatus {
  const status = new RateLimitStatus(project, clock.now());
  status.monthLeft = quota.leftOf(project.id);
  const { key } = status.terms;
  if (key !== undefined) status.keyLeft = quota.leftOf(key.account);
  return status;
}

function takeDemoShare(
  { demoShare, clock }: AdmitDeps,
  address: string,
  status: RateLimitStatus,
  cost: number,
): GiveBack {
  const giveBack = demoShare.take(address, cost);
  if (giveBack !== undefined) return giveBack;
  const used = { cost, ...demoShare.leftOf(address), now: clock.now() };
  throw demoDayExceeded({ limit: DEMO_DAILY_SHARE, ...used, headers: status.headers() });
}
