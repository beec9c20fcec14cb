/** The most work at once, and the most that may wait for its turn. */
export interface BulkheadLimits {
  readonly concurrency: number;
  readonly queue: number;
}

/** Bounds the work that is under way at the same time, so that a slow peer cannot exhaust the process. */
export class Bulkhead {
  readonly #limits: BulkheadLimits;
  readonly #refusal: () => Error;
  /** Each admits one that waits, those who have waited longest first. */
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  /** @param refusal makes the error of work for which there is no room, or not in time */
  constructor(limits: BulkheadLimits, refusal: () => Error) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** True if `enter` would refuse. */
  get isFull(): boolean {
    return this.#inside >= this.#limits.concurrency && this.#waiting.size >= this.#limits.queue;
  }

  /** Takes a slot, to be released with `leave`, if one is free. */
  tryEnter(): boolean {
    if (this.#inside >= this.#limits.concurrency) return false;
    this.#inside += 1;
    return true;
  }

  /**
   * Takes a slot, to be released with `leave`. Waits in line if none is free, for `timeoutMs` at most.
   * @returns undefined where a slot was free at once
   * @throws {Error} the refusal when the line is full or the wait takes too long; the signal's reason when aborted
   */
  enter(timeoutMs = Infinity, signal?: AbortSignal): Promise<void> | undefined {
    if (this.tryEnter()) return undefined;
    return this.isFull ? Promise.reject(this.#refusal()) : this.#wait(timeoutMs, signal);
  }

  /** Releases a slot, to the one that has waited longest. */
  leave(): void {
    const [admit] = this.#waiting;
    if (admit) admit();
    else this.#inside -= 1;
  }

  #wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#waiting.delete(admit);
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const admit = end(resolve);
      const onAbort = end(() => reject(signal?.reason as Error));
      const onLate = end(() => reject(this.#refusal()));
      const timer = Number.isFinite(timeoutMs) ? setTimeout(onLate, timeoutMs) : undefined;
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(admit);
    });
  }
}
