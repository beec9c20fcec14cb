/** Places of the windows that all snapshots of a process read at once. */

/** Bounds of the windows that are read at once. */
export interface WindowLimits {
  /** Of all snapshots. */
  readonly places: number;
  /** Of one snapshot, slow ones included. */
  readonly each: number;
  /** Slow ones, in addition to the places. */
  readonly slow: number;
  /** Milliseconds after which a window is slow: it keeps no place from the others. */
  readonly slowAfterMs: number;
}

/** A window of rows that is read now. */
interface Reading {
  readonly holder: object;
  isSlow: boolean;
  /** True if it is as late as a slow one, and there was no room among those. */
  isLate: boolean;
}

interface Waiting {
  readonly holder: object;
  readonly admit: () => void;
}

/**
 * Bounds the windows that are read at once, since each takes memory, and shares them fairly: the snapshot with fewest goes
 * first, none has more than its part, and those of tokens that answer slowly leave the places to the others.
 */
export class WindowPlaces {
  readonly #limits: WindowLimits;
  readonly #readings = new Set<Reading>();
  /** In order of their arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #held = new Map<object, number>();
  #slow = 0;

  constructor(limits: WindowLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place, in turn.
   * @param holder the snapshot
   * @returns a function that frees it, once, however often it is called
   * @throws the signal's reason once it is aborted
   */
  async enter(holder: object, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.#isFree(holder)) return this.#wait(holder, signal);
    return this.#begin(holder);
  }

  #isFree(holder: object): boolean {
    const { places, each } = this.#limits;
    return this.#readings.size - this.#slow < places && this.#heldBy(holder) < each;
  }

  #heldBy(holder: object): number {
    return this.#held.get(holder) ?? 0;
  }

  #wait(holder: object, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => () => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = end(() => reject(signal.reason as Error));
      const waiting = { holder, admit: end(() => resolve(this.#begin(holder))) };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiting);
    });
  }

  #begin(holder: object): () => void {
    const reading: Reading = { holder, isSlow: false, isLate: false };
    this.#readings.add(reading);
    this.#held.set(holder, this.#heldBy(holder) + 1);
    const timer = setTimeout(() => {
      reading.isLate = true;
      this.#settle();
    }, this.#limits.slowAfterMs).unref();
    return () => {
      if (!this.#readings.delete(reading)) return;
      clearTimeout(timer);
      if (reading.isSlow) this.#slow -= 1;
      const held = this.#heldBy(holder) - 1;
      if (held > 0) this.#held.set(holder, held);
      else this.#held.delete(holder);
      this.#settle();
    };
  }

  /** Makes late windows slow ones, and gives the places that are free to those that wait. */
  #settle(): void {
    for (const reading of this.#readings) {
      if (!reading.isLate || reading.isSlow || this.#slow >= this.#limits.slow) continue;
      reading.isSlow = true;
      this.#slow += 1;
    }
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.admit();
  }

  /** The first of the snapshots with fewest windows, if there is a place for it. */
  #next(): Waiting | undefined {
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.holder)) continue;
      if (next === undefined || this.#heldBy(waiting.holder) < this.#heldBy(next.holder)) next = waiting;
    }
    return next;
  }
}
