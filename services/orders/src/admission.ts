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
 * The sender's 200 ms less the way here and back and the flush to disk. Orders that come while the event loop is busy are
 * read together in its next turn, and answered at that turn's end: on average they have waited for half of the busy one.
 * Under lasting overload turns of 100 ms come of it, and whoever came at a turn's beginning is still in time.
 */
const IN_TIME_MS = 150;
/** An event loop that has waited for so long had nothing left to do; what came then, had not to wait. */
const IDLE_MS = 1;

/** The door before the checks. */
export class Admission {
  readonly #most: number;
  readonly #inTimeMs: number;
  #inFlight = 0;
  /** Since when orders that are read in this turn of the event loop have been waiting, on average. */
  #waitingSince: number | undefined;
  #lastTurnMs = 0;
  #idleBefore = 0;

  /**
   * @param most orders at a time: what the store is asked for together, however long it takes
   * @param inTimeMs how long a turn may have gone on for an order to be taken in it
   */
  constructor(most: number, inTimeMs = IN_TIME_MS) {
    this.#most = most;
    this.#inTimeMs = inTimeMs;
  }

  /** Runs `work` if there is room and time. @throws {Overloaded} at once if not */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#most || this.#isTooLate()) throw new Overloaded();
    this.#inFlight++;
    try {
      return await work();
    } finally {
      this.#inFlight--;
    }
  }

  #isTooLate(): boolean {
    const now = performance.now();
    if (this.#waitingSince === undefined) {
      const { idle } = performance.eventLoopUtilization();
      const wasBusy = idle - this.#idleBefore < IDLE_MS;
      this.#waitingSince = now - (wasBusy ? Math.min(this.#lastTurnMs, this.#inTimeMs) / 2 : 0);
      this.#idleBefore = idle;
      setImmediate(() => {
        this.#waitingSince = undefined;
        this.#lastTurnMs = performance.now() - now;
      });
    }
    return now - this.#waitingSince > this.#inTimeMs;
  }
}
