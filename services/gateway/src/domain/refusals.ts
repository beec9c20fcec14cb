/** Refusals: 429 names the limit that is reached, its size and its reset; 503 the part that cannot answer now. */
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { ApiError, unavailable } from '@hindsight/kernel/errors.ts';

/** For streams, whose duration is not known. */
const STREAM_RETRY_SECONDS = 5;

/** Headers that every answer to this project carries. */
type OwnHeaders = Readonly<Record<string, string>>;

interface Refused {
  /** As people know it: `Free`. */
  readonly plan: string;
  readonly limit: number;
  readonly headers: OwnHeaders;
}

/** Too many requests in this second. */
export function burstExceeded({ plan, limit, headers }: Refused, waitMs: number): ApiError {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  return refusal(
    'burst_exceeded',
    `Burst limit exceeded: the ${plan} plan allows ${limit} requests per second; try again in ${seconds} s.`,
    headers,
    seconds,
  );
}

/** Too many requests from one address with the demo key. */
export function demoExceeded(rate: number, headers: OwnHeaders, waitMs: number): ApiError {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  return refusal(
    'demo_burst_exceeded',
    `Burst limit exceeded: the demo key allows ${rate} requests per second from one address; try again in ${seconds} s, or with a key of your own.`,
    headers,
    seconds,
  );
}

/** A limit in units that has less left than the request may cost; smaller requests may still be answered. */
interface UsedUp {
  readonly limit: number;
  /** The most that the request may cost, and the rest of the limit. */
  readonly cost: number;
  readonly left: number;
  /** Unix milliseconds: when the limit is whole again, and now. */
  readonly end: number;
  readonly now: number;
  readonly headers: OwnHeaders;
}

/** One address has used its share of the demo's day. */
export function demoDayExceeded(share: UsedUp): ApiError {
  const { limit, cost, left, end, now, headers } = share;
  const weight = cost === 1 ? '' : `; this one may cost ${cost} units, but only ${left} are left`;
  return refusal(
    'demo_day_exceeded',
    `Daily limit exceeded: the demo key allows ${limit} requests a day from one address${weight}; try again after ${new Date(end).toISOString()}, or with a key of your own.`,
    headers,
    Math.ceil((end - now) / 1000),
    cost === 1 ? undefined : { cost, left },
  );
}

export function monthExceeded(plan: string, month: UsedUp): ApiError {
  return unitsExceeded('month_exceeded', 'Monthly limit exceeded', `the ${plan} plan`, month);
}

/** The same for the key's cap; the project may have more. */
export function keyCapExceeded(cap: UsedUp): ApiError {
  return unitsExceeded('key_cap_exceeded', 'Monthly cap of this API key exceeded', 'the key’s cap', cap);
}

function unitsExceeded(code: CodeOf<429>, title: string, what: string, month: UsedUp): ApiError {
  const { limit, cost, left, end, now, headers } = month;
  const next = `the next month begins at ${new Date(end).toISOString()}.`;
  const words =
    cost === 1
      ? `${what} allows ${limit} requests a month, and all are used; ${next}`
      : `this request may cost ${cost} units, but only ${left} of the ${limit} a month that ${what} allows are left; ${next}`;
  return refusal(code, `${title}: ${words}`, headers, Math.ceil((end - now) / 1000), { cost, left });
}

/** The greatest number of a kind is under way. @param refused.whose holder of the limit: `a project` */
export function slotsExceeded(
  { name, whose, most }: { readonly name: string; readonly whose: string; readonly most: number },
  headers: OwnHeaders,
): ApiError {
  return refusal(
    'streams_exceeded',
    `Too many ${name}: ${whose} may have ${most} running at a time; try again when one has ended.`,
    headers,
    STREAM_RETRY_SECONDS,
  );
}

/** 503: all places of a kind are taken. */
export function placesTaken(name: string, headers: OwnHeaders): ApiError {
  const retry = { 'retry-after': String(STREAM_RETRY_SECONDS) };
  return new ApiError('overloaded', `All places for ${name} are taken at the moment.`, {
    headers: { ...headers, ...retry },
    quiet: true,
  });
}

function refusal(
  code: CodeOf<429>,
  message: string,
  headers: OwnHeaders,
  retryAfterSeconds: number,
  details?: Readonly<Record<'cost' | 'left', number>>,
): ApiError {
  const retry = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError(code, message, { headers: { ...headers, ...retry }, ...(details && { details }) });
}

/** 503: what is answered must be counted. */
export function notRecorded(cause?: unknown, headers: OwnHeaders = {}): ApiError {
  return unavailable('store_unavailable', 'Usage cannot be recorded at the moment.', { cause, headers });
}
