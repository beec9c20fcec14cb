export interface RetryPolicy {
  /** In all; without a bound if not given. */
  readonly attempts?: number;
  /** Milliseconds to wait after this attempt; attempts count from 1. */
  readonly pauseMs: (attempt: number, error: unknown) => number;
  /** True for an error that may not occur again. By default every error is retried. */
  readonly isTransient?: (error: unknown, attempt: number) => boolean;
  /** Called with each error before its pause. */
  readonly onRetry?: (error: unknown) => void;
  /** No attempt begins once it is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Retries until it succeeds or the policy says stop. @throws {Error} the last error; the signal's reason when
 * aborted
 */
export async function retry<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { attempts = Infinity, pauseMs, isTransient = () => true, onRetry, signal = NEVER } = policy;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || attempt >= attempts || !isTransient(error, attempt)) throw error;
      onRetry?.(error);
      await pause(pauseMs(attempt, error), signal);
    }
  }
}

const NEVER = new AbortController().signal;

/** Waits; returns at once when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  // Not the timer of promises: a suite's fake time does not move that one.
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener('abort', resolve);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', resolve);
}

/** Doubles from `first` up to `max`; `attempt` counts from 1. */
export function backoff(attempt: number, first: number, max: number): number {
  return Math.min(first * 2 ** Math.min(attempt - 1, 30), max);
}
