import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { NodeErrorKind } from '@hindsight/chain/rpc/node-error-kind.ts';
import { backoff } from '@hindsight/kernel/retry.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** Called with each fault before the next try. */
  readonly onRetry: (error: unknown) => void;
}

/** Transient faults: they are retried for longer, because a new round would meet them too. */
const TRANSIENT: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>(['unreachable', 'timeout', 'busy']);
const TRANSIENT_FOR_MS = 60_000;
/** Tries for other faults; after them a new round reads the chain from the start. */
const TRIES = 4;
const PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;
/** The maximum of a node's own Retry-After. */
const MAX_WAIT_MS = 10_000;

/** Retries questions that a node could not answer, for a bounded time. @throws {NodeError} the last fault */
export async function retryTransient<T>(
  { signal, onRetry }: RetryOptions,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const isTransient = TRANSIENT.has(error.kind) && performance.now() - begun < TRANSIENT_FOR_MS;
      if (!isTransient && tries >= TRIES) throw error;
      onRetry(error);
      const own = backoff(tries, PAUSE_MS, MAX_PAUSE_MS);
      const pause = Math.max(Math.min(error.details.retryAfterMs ?? 0, MAX_WAIT_MS), own);
      // Jitter: many wait at the same time.
      await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal });
    }
  }
}
