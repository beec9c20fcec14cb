/** 429: which limit was reached, its size, and when it resets. */
import { ApiError } from '@hindsight/kernel/errors.ts';

/** Seconds after which a client may try again when something here is unavailable. */
export const RETRY_AFTER_SECONDS = 2;

/** What a refusal says. */
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
    `Burst limit exceeded: the ${plan} plan allows ${limit} requests per second; try again in ${seconds} s.`,
    headers,
    seconds,
  );
}

/** Too many requests from one address with the demo key. */
export function demoExceeded(headers: Refused['headers'], waitMs: number): ApiError {
  const seconds = Math.max(Math.ceil(waitMs / 1000), 1);
  return refusal(
    `Burst limit exceeded: the demo key allows a few requests per second from one address; try again in ${seconds} s, or with a key of your own.`,
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
): ApiError {
  return refusal(
    `Daily limit exceeded: the demo key allows ${limit} requests a day from one address; try again after ${new Date(end).toISOString()}, or with a key of your own.`,
    headers,
    Math.ceil((end - now) / 1000),
  );
}

/** All requests of the month are used. */
export function monthExceeded({ plan, limit, headers }: Refused, end: number, now: number): ApiError {
  return refusal(
    `Monthly limit exceeded: the ${plan} plan allows ${limit} requests a month, and they are used; the next month begins at ${new Date(end).toISOString()}.`,
    headers,
    Math.ceil((end - now) / 1000),
  );
}

function refusal(message: string, headers: Refused['headers'], retryAfterSeconds: number): ApiError {
  return new ApiError(429, message, { headers: { ...headers, 'retry-after': String(retryAfterSeconds) } });
}
