import { NodeError } from '../rpc/node-error.ts';

/** How many requests may be under way at once, and how many may wait. */
export interface BulkheadLimits {
  readonly concurrency: number;
  readonly queue: number;
}

/** The `retryAfterMs` for a caller when a node is overloaded. */
const RETRY_AFTER_MS = 1_000;

interface Waiter {
  readonly admit: () => void;
}

/** Bounds the requests to one node at the same time, so that a slow one cannot exhaust the process. */
export class Bulkhead {
  readonly #label: string;
  readonly #limits: BulkheadLimits;
  readonly #waiting = new Set<Waiter>();
  #inside = 0;

  constructor(label: string, limits: BulkheadLimits) {
    this.#label = label;
    this.#limits = limits;
  }

  /** Whether `enter` would be refused. */
  get isFull(): boolean {
    return this.#inside >= this.#limits.concurrency && this.#waiting.size >= this.#limits.queue;
  }

  /**
   * Takes a slot, to be released with `leave`. Waits in line if none is free.
   * @returns undefined where a slot was free at once
   * @throws {NodeError} `busy` when the line is full or the wait takes longer than `timeoutMs`; the signal's reason when aborted
   */
  enter(timeoutMs: number, signal?: AbortSignal): Promise<void> | undefined {
    if (this.#inside < this.#limits.concurrency) {
      this.#inside += 1;
      return undefined;
    }
    if (this.isFull) return Promise.reject(this.#busy());
    return this.#wait(timeoutMs, signal);
  }

  /** Releases a slot, to the one that has waited longest. */
  leave(): void {
    const [next] = this.#waiting;
    if (next) next.admit();
    else this.#inside -= 1;
  }

  #wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const waiter: Waiter = { admit: end(resolve) };
      const timer = setTimeout(
        end(() => reject(this.#busy())),
        timeoutMs,
      );
      const onAbort = end(() => reject(signal?.reason as Error));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #busy(): NodeError {
    const details = { retryAfterMs: RETRY_AFTER_MS };
    return new NodeError('busy', `too many questions wait for ${this.#label}`, details);
  }
}
