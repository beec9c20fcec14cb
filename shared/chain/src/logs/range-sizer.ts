/** Sizes the ranges of blocks: for a good number of events in one answer, within what the node allows. */
import type { Clock } from '@hindsight/kernel/clock.ts';

interface RangeBounds {
  /** Blocks to begin with. */
  readonly first: number;
  /** The most blocks. */
  readonly max: number;
  /** Events that one answer should have: few enough to be read without holding up other work. */
  readonly events: number;
}

/**
 * Time that a ceiling holds; then it doubles every second, from one block to more than any chain has within a
 * minute, since its cause may have been a moment's trouble. A node that always refuses gets one large range
 * in each such time.
 */
const HOLD_MS = 20_000;
const DOUBLES_EVERY_MS = 1_000;

/** Learns from answers and refusals. */
export class RangeSizer {
  readonly #bounds: RangeBounds;
  readonly #clock: Clock;
  /** Blocks by the number of events alone. */
  #wanted: number;
  /** The largest range that the node was seen to allow, and the time of that. */
  #ceiling: { readonly blocks: number; readonly at: number };

  constructor(bounds: RangeBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#wanted = Math.min(bounds.first, bounds.max);
    this.#ceiling = { blocks: bounds.max, at: clock.now() };
  }

  /** Blocks to ask for next. */
  get size(): number {
    return Math.max(1, Math.floor(Math.min(this.#wanted, this.#allowed)));
  }

  answered(blocks: number, events: number): void {
    const wanted = events === 0 ? Infinity : (blocks * this.#bounds.events) / events;
    // Growth is gradual: the blocks to come may hold more than those before.
    const grown = Math.max(this.#wanted, blocks) * 2;
    this.#wanted = Math.min(wanted, grown, this.#bounds.max);
  }

  /**
   * A range of this many blocks was answered after a larger one was refused. Only both together show a node's
   * limit: a node in trouble refuses the smallest range too.
   */
  limit(blocks: number): void {
    this.#ceiling = { blocks: Math.max(1, Math.min(blocks, this.#allowed)), at: this.#clock.now() };
  }

  get #allowed(): number {
    const age = this.#clock.now() - this.#ceiling.at;
    // After the clock was set back, the age of earlier facts is unknown.
    if (age < 0) return this.#bounds.max;
    const doublings = Math.ceil(Math.max(0, age - HOLD_MS) / DOUBLES_EVERY_MS);
    return Math.min(this.#bounds.max, this.#ceiling.blocks * 2 ** doublings);
  }
}
