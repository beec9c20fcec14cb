/** A client that is waited for moves this many bytes a second, on the average of a minute. */
const SLOWEST_BYTES_A_SECOND = 1_024;
const OVER_SECONDS = 60;

/** Measures that a client, while it is waited for, moves bytes at some pace: one now and then keeps nothing open. */
export class Pace {
  #missing = 0;
  #moved: number;
  #at: number;

  /** @param moved bytes so far @param now Unix milliseconds */
  constructor(moved: number, now: number) {
    this.#moved = moved;
    this.#at = now;
  }

  /**
   * Notes how it is.
   * @param moved bytes so far, in both directions
   * @returns whether the client is too slow
   */
  note(isWaitedFor: boolean, moved: number, now: number): boolean {
    const due = isWaitedFor ? (SLOWEST_BYTES_A_SECOND * Math.max(now - this.#at, 0)) / 1000 : 0;
    this.#missing = Math.max(this.#missing + due - (moved - this.#moved), 0);
    this.#moved = moved;
    this.#at = now;
    return this.#missing > SLOWEST_BYTES_A_SECOND * OVER_SECONDS;
  }
}
