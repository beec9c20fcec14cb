import {
  ConnectionError,
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServerError,
  TimeoutError,
  Unauthorized,
} from '@hindsight/client';

/** Exit codes, documented in README.md. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  limited: 5,
  unavailable: 6,
  interrupted: 130,
} as const;

/** The command line itself is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The exit code of an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof InvalidRequest) return EXIT.usage;
  if (error instanceof NotFound) return EXIT.notFound;
  if (error instanceof Unauthorized || error instanceof Forbidden) return EXIT.notAllowed;
  if (error instanceof RateLimited) return EXIT.limited;
  if (error instanceof ServerError || error instanceof ConnectionError || error instanceof TimeoutError)
    return EXIT.unavailable;
  return EXIT.failed;
}
