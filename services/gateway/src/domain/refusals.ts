/** 429: the limit that is reached, its size, and its reset. */
import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';

/** Seconds after which a client may try again when a part of the gateway is unavailable. */
export const RETRY_AFTER_SECONDS = 2;

/** For streams, whose duration is not known. */
const STREAM_RETRY_SECONDS = 5;

interface Refused {
  /** As people know it: `Free`. */
  readonly plan: string;
  readonly limit: number;
  /** Headers that every answer to this project carries. */
  readonly headers: Readonly<Record<string, string>>;
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
export function demoExceeded(rate: number, headers: Refused['headers'], waitMs: number): ApiError {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  return refusal(
    'demo_burst_exceeded',
    `Burst limit exceeded: the demo key allows ${rate} requests per second from one address; try again in ${seconds} s, or with a key of your own.`,
    headers,
    seconds,
  );
}

/** One address has used its share of the demo's day. */
export function demoDayExceeded(
  limit: number,
  headers: Refused['headers'],
  end: number,
  now: number,
  cost: Cost,
): ApiError {
  const weight =
    cost.cost === 1 ? '' : `; this one may cost ${cost.cost} units, but only ${cost.left} are left`;
  return refusal(
    'demo_day_exceeded',
    `Daily limit exceeded: the demo key allows ${limit} requests a day from one address${weight}; try again after ${new Date(end).toISOString()}, or with a key of your own.`,
    headers,
    Math.ceil((end - now) / 1000),
    cost.cost === 1 ? undefined : cost,
  );
}

/** A limit in units: the most that a request may cost, and the rest of the limit. */
export interface Cost {
  readonly cost: number;
  readonly left: number;
}

/** The month has fewer units left than the request may cost; smaller requests may still be answered. */
export function monthExceeded(
  { plan, limit, headers }: Refused,
  end: number,
  now: number,
  cost: Cost,
): ApiError {
  const words = `Monthly limit exceeded: ${usedUp(`the ${plan} plan`, limit, end, cost)}`;
  return refusal('month_exceeded', words, headers, Math.ceil((end - now) / 1000), cost);
}

/** The same for the key's cap; the project may have more. */
export function keyCapExceeded(
  { limit, headers }: Omit<Refused, 'plan'>,
  end: number,
  now: number,
  cost: Cost,
): ApiError {
  const words = `Monthly cap of this API key exceeded: ${usedUp('the key’s cap', limit, end, cost)}`;
  return refusal('key_cap_exceeded', words, headers, Math.ceil((end - now) / 1000), cost);
}

function usedUp(what: string, limit: number, end: number, { cost, left }: Cost): string {
  const next = `the next month begins at ${new Date(end).toISOString()}.`;
  return cost === 1
    ? `${what} allows ${limit} requests a month, and all are used; ${next}`
    : `this request may cost ${cost} units, but only ${left} of the ${limit} a month that ${what} allows are left; ${next}`;
}

/** The greatest number of a kind is under way. @param refused.whose holder of the limit: `a project` */
export function slotsExceeded(
  { name, whose, most }: { readonly name: string; readonly whose: string; readonly most: number },
  headers: Refused['headers'],
): ApiError {
  return refusal(
    'streams_exceeded',
    `Too many ${name}: ${whose} may have ${most} running at a time; try again when one has ended.`,
    headers,
    STREAM_RETRY_SECONDS,
  );
}

/** 503: all places of a kind are taken. */
export function placesTaken(name: string, headers: Refused['headers']): ApiError {
  const retry = { 'retry-after': String(STREAM_RETRY_SECONDS) };
  return new ApiError('overloaded', `All places for ${name} are taken at the moment.`, {
    headers: { ...headers, ...retry },
    quiet: true,
  });
}

function refusal(
  code: CodeOf<429>,
  message: string,
  headers: Refused['headers'],
  retryAfterSeconds: number,
  cost?: Cost,
): ApiError {
  const retry = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError(code, message, {
    headers: { ...headers, ...retry },
    ...(cost === undefined ? {} : { details: { ...cost } }),
  });
}
