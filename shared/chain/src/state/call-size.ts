import type { Clock } from '@hindsight/kernel/clock.ts';

/**
 * A call of this part is hardly larger than those that questions of different callers share: 22 to 85
 * balances.
 */
const SMALLEST = 1 / 27;
/** Time without a refusal after which the size doubles. */
const DOUBLED_AFTER_MS = 60_000;

/**
 * Size of a call that the nodes take, as a part of the largest one that can run: it shrinks on a refusal, and
 * grows back.
 */
export class CallSize {
  readonly #clock: Clock;
  #part = 1;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The largest part to try now, 1 at most. */
  get part(): number {
    const doublings = Math.max(0, Math.floor((this.#clock.now() - this.#since) / DOUBLED_AFTER_MS));
    return Math.min(1, this.#part * 2 ** doublings);
  }

  /** True if a call of that size can be divided, and its size may be the reason for the refusal. */
  isDivisible(part: number): boolean {
    return part > SMALLEST;
  }

  /** Notes that a call of that size was too large. */
  refuse(part: number): void {
    this.#part = Math.max(SMALLEST, Math.min(this.part, part / 2));
    this.#since = this.#clock.now();
  }
}
