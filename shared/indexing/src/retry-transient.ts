import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { backoff, retry } from '@hindsight/kernel/retry.ts';

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** Called with each fault before the next try. */
  readonly onRetry: (error: unknown) => void;
}

/** Transient faults are retried for longer, because a new round would meet them too. */
const TRANSIENT_FOR_MS = 60_000;
/** Tries for other faults; after them a new round reads the chain from the start. */
const TRIES = 4;
const PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
/** The maximum of a node's own Retry-After. */
const MAX_WAIT_MS = 10_000;

/** Retries questions that a node could not answer, for a bounded time. @throws {NodeError} the last fault */
export function retryTransient<T>({ signal, onRetry }: RetryOptions, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  return retry(work, {
    signal,
    onRetry,
    isTransient: (error, attempt) =>
      error instanceof NodeError &&
      (attempt < TRIES || (error.isTransient && performance.now() - begun < TRANSIENT_FOR_MS)),
    pauseMs(attempt, error) {
      const wished = error instanceof NodeError ? (error.details.retryAfterMs ?? 0) : 0;
      // Jitter: many wait at the same time.
      return (
        Math.max(Math.min(wished, MAX_WAIT_MS), backoff(attempt, PAUSE_MS, MAX_PAUSE_MS)) *
        (0.75 + Math.random() / 2)
      );
    },
  });
}
