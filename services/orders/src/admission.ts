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

/** Half of the sender's 200 ms: the rest is for the network, the gateway and the flush. */
const BUDGET_MS = 100;
/** What an order takes beside its checks: reading the request, storing, answering. */
const WHOLE_TO_CHECKS = 1.5;
/** Before anything was measured. */
const FIRST_GUESS_MS = 1;
/** The weight of the newest measurement. */
const NEWEST = 0.1;
/** However slow the machine: a few at a time share a flush. */
const LEAST = 8;

/** The door before the checks. */
export class Admission {
  readonly #most: number;
  #inFlight = 0;
  #paceMs = FIRST_GUESS_MS;

  /** @param most orders at a time, however fast they go */
  constructor(most: number) {
    this.#most = most;
  }

  /** Orders that may be under way together: as many as the machine, at its present pace, gets done in time. */
  get limit(): number {
    const inTime = Math.floor(BUDGET_MS / (this.#paceMs * WHOLE_TO_CHECKS));
    return Math.min(this.#most, Math.max(LEAST, inTime));
  }

  /** Runs `work` if there is room. @throws {Overloaded} at once if not */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inFlight >= this.limit) throw new Overloaded();
    this.#inFlight++;
    const begun = performance.now();
    try {
      // Up to its first wait it has the event loop for itself: these are the checks.
      const outcome = work();
      this.#paceMs += (performance.now() - begun - this.#paceMs) * NEWEST;
      return await outcome;
    } finally {
      this.#inFlight--;
    }
  }
}
