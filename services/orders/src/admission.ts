/** How many orders are taken on at a time: no more than can be answered before their senders give up. */
import { ApiError } from '@hindsight/shared/errors.ts';

/** 503: others are being worked on, and this one would be answered too late; nothing of it was looked at or kept. */
export class Overloaded extends ApiError {
  constructor() {
    super(503, 'Too many orders at once; this one was not taken.', {
      headers: { 'retry-after': '1' },
      quiet: true,
    });
  }
}

/**
 * Orders that come while the event loop is busy are read together in its next turn, and answered at the turn's end. One
 * that comes at the beginning of a turn waits for that and the next one, which must be well below the sender's 200 ms.
 */
const TURN_MS = 50;

/** The door before the checks. */
export class Admission {
  readonly #most: number;
  #inFlight = 0;
  /** When the first order of this turn of the event loop came. */
  #turnBegan: number | undefined;

  /** @param most orders at a time: what the store is asked for together, however long it takes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Runs `work` if there is room and time. @throws {Overloaded} at once if not */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#most || this.#isTurnOver()) throw new Overloaded();
    this.#inFlight++;
    try {
      return await work();
    } finally {
      this.#inFlight--;
    }
  }

  #isTurnOver(): boolean {
    const now = performance.now();
    if (this.#turnBegan === undefined) {
      this.#turnBegan = now;
      setImmediate(() => (this.#turnBegan = undefined));
    }
    return now - this.#turnBegan > TURN_MS;
  }
}
