import { retry } from '@hindsight/kernel/retry.ts';
import { NotVouched } from './vouched-logs.ts';

/** Pauses before another try; together shorter than the time from one block to the next on most chains. */
const PAUSES_MS = [10, 25, 50, 100, 200, 400];

/** Bounds on repetitions of a question. */
export interface AskAgainOptions {
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats a question if the node that answered was behind: the next one behind the same URL may not be.
 * @throws {NodeError} the last NotVouched, or another error
 */
export function askAgain<T>({ deadline, signal }: AskAgainOptions, ask: () => Promise<T>): Promise<T> {
  const pauseMs = (attempt: number): number => PAUSES_MS[attempt - 1] ?? Infinity;
  return retry(ask, {
    pauseMs,
    isTransient: (error, attempt) =>
      error instanceof NotVouched && performance.now() + pauseMs(attempt) < deadline,
    ...(signal && { signal }),
  });
}
