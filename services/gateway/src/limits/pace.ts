/** A client that is waited for moves this many bytes a second, averaged over a minute. */
const SLOWEST_BYTES_A_SECOND = 1_024;
const OVER_SECONDS = 60;

/** Measures the pace of a client while it is waited for: a byte now and then does not keep a stream open. */
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
   * Notes the progress.
   * @param moved bytes so far, in both directions
   * @returns true if the client is too slow
   */
  note(isWaitedFor: boolean, moved: number, now: number): boolean {
    const due = isWaitedFor ? (SLOWEST_BYTES_A_SECOND * Math.max(now - this.#at, 0)) / 1000 : 0;
    this.#missing = Math.max(this.#missing + due - (moved - this.#moved), 0);
    this.#moved = moved;
    this.#at = now;
    return this.#missing > SLOWEST_BYTES_A_SECOND * OVER_SECONDS;
  }
}
