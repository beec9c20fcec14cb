/** Sizes the ranges of blocks: for a good number of events in one answer, within what the node allows. */

/** Bounds of a sizer. */
interface RangeBounds {
  /** Blocks to begin with. */
  readonly first: number;
  /** The most blocks. */
  readonly max: number;
  /** Events that one answer should have: few enough to be read without holding others up. */
  readonly events: number;
}

/** The ceiling is raised again after this many good ranges; the number doubles with each refusal. */
const RAISE_AFTER = 32;
const MAX_RAISE_AFTER = 4096;

/** Learns from answers and refusals. */
export class RangeSizer {
  readonly #bounds: RangeBounds;
  #size: number;
  /** The most that the node is known to allow. */
  #ceiling: number;
  #raiseAfter = RAISE_AFTER;
  #wentWell = 0;

  constructor(bounds: RangeBounds) {
    this.#bounds = bounds;
    this.#size = Math.min(bounds.first, bounds.max);
    this.#ceiling = bounds.max;
  }

  /** Blocks to ask for next. */
  get size(): number {
    return this.#size;
  }

  /** A range was answered. */
  answered(blocks: number, events: number): void {
    this.#wentWell += 1;
    if (this.#wentWell >= this.#raiseAfter && this.#ceiling < this.#bounds.max) {
      this.#ceiling = Math.min(this.#bounds.max, Math.ceil(this.#ceiling * 1.5));
      this.#wentWell = 0;
    }
    const wanted = events === 0 ? Infinity : (blocks * this.#bounds.events) / events;
    // Growth is gradual: the blocks to come may hold more than those before.
    this.#set(Math.min(wanted, Math.max(this.#size, blocks) * 2));
  }

  /** A range was too much. @param proposed how many blocks the node says will do */
  refused(blocks: number, proposed: number | undefined): void {
    this.#ceiling = Math.max(1, Math.min(this.#ceiling, proposed ?? Math.floor(blocks / 2)));
    this.#raiseAfter = Math.min(this.#raiseAfter * 2, MAX_RAISE_AFTER);
    this.#wentWell = 0;
    this.#set(this.#size);
  }

  #set(size: number): void {
    this.#size = Math.max(1, Math.min(Math.floor(size), this.#ceiling));
  }
}
