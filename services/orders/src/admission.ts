/** Bounds the orders in flight to what can be answered before their senders time out. */
import { ApiError } from '@hindsight/kernel/errors.ts';

/** 503: an answer to this order would come too late; nothing of it was read or stored. */
export class TooManyOrders extends ApiError {
  constructor() {
    super('overloaded', 'Too many orders at once; this one was not accepted.', {
      headers: { 'retry-after': '1' },
      quiet: true,
    });
  }
}

/**
 * The sender's 200 ms less the round trip and the flush to disk. Orders that arrive while the event loop is busy are read
 * together in its next turn and answered at the end of it: on average they have waited for half of the busy one.
 * Under lasting overload this results in turns of 100 ms, and orders from the beginning of a turn are still in time.
 */
const IN_TIME_MS = 150;
/** If the loop was idle this long its queue was empty, so new requests did not wait. */
const IDLE_MS = 1;

export class OrderAdmission {
  readonly #maxInFlight: number;
  readonly #inTimeMs: number;
  #inFlight = 0;
  /** Average time of arrival of the orders that are read in this turn of the event loop. */
  #waitingSince: number | undefined;
  #lastTurnMs = 0;
  #idleBefore = 0;

  /**
   * @param maxInFlight orders at a time: the most that wait for the store together, however long it takes
   * @param inTimeMs how long a turn may have lasted for an order to be still accepted in it
   */
  constructor(maxInFlight: number, inTimeMs = IN_TIME_MS) {
    this.#maxInFlight = maxInFlight;
    this.#inTimeMs = inTimeMs;
  }

  /** Runs `work` if there is room and time. @throws {TooManyOrders} at once if not */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.#maxInFlight || this.#isTooLate()) throw new TooManyOrders();
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
