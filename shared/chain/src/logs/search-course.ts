/** The ranges that a search of logs reads next, after the outcomes of earlier ones. */
import { NodeError } from '../rpc/node-error.ts';
import { RangeTooLarge, type BlockRange } from './block-range.ts';
import type { RangeSizer } from './range-sizer.ts';
import { NotVouched } from './vouched-logs.ts';

interface CourseOptions {
  /** The first of the last blocks, which are read separately. */
  readonly lastFrom: number;
  readonly descending: boolean;
  readonly sizer: RangeSizer;
}

/** Ranges that are read at the same time, if a node refuses large ones. */
const IN_FLIGHT = 4;

export class SearchCourse {
  readonly #options: CourseOptions;
  #left: BlockRange;
  /** Blocks at a time on the way down to the beginning of the nodes' logs. */
  #most = Infinity;
  /** Largest range that a node may allow after it refused one, until it answers one of that size. */
  #allowed = Infinity;

  constructor(range: BlockRange, options: CourseOptions) {
    this.#left = range;
    this.#options = options;
  }

  /** The next parts, in the order of the search; none at its end. */
  next(): readonly BlockRange[] {
    const parts: BlockRange[] = [];
    const size = Math.min(this.#options.sizer.size, this.#most, this.#allowed);
    const inFlight = this.#allowed < Infinity ? 1 : IN_FLIGHT;
    for (let left = this.#left; left.from <= left.to && parts.length < inFlight;) {
      const part = this.#take(left, size);
      parts.push(part);
      left = this.#without(left, part);
    }
    return parts;
  }

  isLast(part: BlockRange): boolean {
    return part.from >= this.#options.lastFrom;
  }

  answered(part: BlockRange, events: number): void {
    const { sizer } = this.#options;
    if (this.#allowed < Infinity) sizer.limit(this.#allowed);
    this.#allowed = Infinity;
    sizer.answered(blocksIn(part), events);
    this.#left = this.#without(this.#left, part);
  }

  /**
   * Notes that the next part was not answered. False if the nodes' logs begin above it.
   * @throws the reason, if a smaller part would do no better
   */
  refused(part: BlockRange, reason: unknown): boolean {
    if (reason instanceof RangeTooLarge) {
      this.#allowed = reason.proposed ?? Math.floor(blocksIn(part) / 2);
      return true;
    }
    if (!this.#options.descending || this.isLast(part) || !isMissing(reason)) throw reason;
    // The nodes' logs begin in this part: halve it down to there.
    this.#most = Math.ceil(blocksIn(part) / 2);
    return part.from < part.to;
  }

  #take({ from, to }: BlockRange, size: number): BlockRange {
    const { lastFrom, descending } = this.#options;
    if (descending) return { from: Math.max(from, to >= lastFrom ? lastFrom : to - size + 1), to };
    return from >= lastFrom ? { from, to } : { from, to: Math.min(to, lastFrom - 1, from + size - 1) };
  }

  #without({ from, to }: BlockRange, part: BlockRange): BlockRange {
    return this.#options.descending ? { from, to: part.from - 1 } : { from: part.to + 1, to };
  }
}

function blocksIn({ from, to }: BlockRange): number {
  return to - from + 1;
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof NodeError) || error instanceof NotVouched) return false;
  return error.kind === 'missing-state' || error.kind === 'unknown-block';
}
