import { NodeError } from '@hindsight/shared/chain/rpc/node-error.ts';
import type { NodeErrorKind } from '@hindsight/shared/chain/rpc/node-error-kind.ts';
import { backoff } from '@hindsight/shared/waiting.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** How faults of nodes are met. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Told of each fault that is tried again. */
  readonly onRetry: (error: unknown) => void;
}

/** Faults that pass by themselves: they are waited out for longer, because a new round would meet them too. */
const PASSING: ReadonlySet<NodeErrorKind> = new Set<NodeErrorKind>(['unreachable', 'timeout', 'busy']);
const PASSING_FOR_MS = 60_000;
/** Tries where it is some other fault, after which a new round looks at the chain afresh. */
const TRIES = 4;
const PAUSE_MS = 200;
const MOST_PAUSE_MS = 2_000;
/** A node that asks for more time than this gets no more. */
const MOST_WAIT_MS = 10_000;

/** Tries again what a node could not answer, for a bounded time. @throws {NodeError} the last fault */
export async function patiently<T>({ signal, onRetry }: Patience, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const isPassing = PASSING.has(error.kind) && performance.now() - begun < PASSING_FOR_MS;
      if (!isPassing && tries >= TRIES) throw error;
      onRetry(error);
      const own = backoff(tries, PAUSE_MS, MOST_PAUSE_MS);
      const pause = Math.max(Math.min(error.details.retryAfterMs ?? 0, MOST_WAIT_MS), own);
      // Many wait at the same time, and not all should come back at the same moment.
      await sleep(pause * (0.75 + Math.random() / 2), undefined, { signal });
    }
  }
}
