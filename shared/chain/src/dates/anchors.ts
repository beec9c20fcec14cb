import type { Block } from '../state/block.ts';

/**
 * Finalized blocks by time, from earlier searches, and the chain's first: they make later ones shorter. When there are too
 * many, every second one is dropped, so that the rest still covers the whole chain.
 */
export class Anchors {
  readonly #most: number;
  /** Ascending in number, and so in time. */
  #blocks: Block[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(block: Block): void {
    const at = this.#firstWhere((known) => known.number >= block.number);
    const present = this.#blocks[at]?.number === block.number;
    this.#blocks.splice(at, present ? 1 : 0, block);
    if (this.#blocks.length > this.#most) this.#blocks = this.#blocks.filter((_, index) => index % 2 === 0);
  }

  /** The last known block that is not after the moment. @param seconds Unix time */
  notAfter(seconds: number): Block | undefined {
    return this.#blocks[this.#firstWhere((known) => known.timestamp > seconds) - 1];
  }

  /** The first known block that is after the moment. @param seconds Unix time */
  after(seconds: number): Block | undefined {
    return this.#blocks[this.#firstWhere((known) => known.timestamp > seconds)];
  }

  /** Forgets the blocks below a height. @returns true if there were any */
  dropBelow(height: number): boolean {
    return (
      this.#blocks.splice(
        0,
        this.#firstWhere(({ number }) => number >= height),
      ).length > 0
    );
  }

  /** Forgets everything: a remembered block contradicts the chain. */
  clear(): void {
    this.#blocks = [];
  }

  #firstWhere(fits: (block: Block) => boolean): number {
    let from = 0;
    let to = this.#blocks.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      const block = this.#blocks[middle];
      if (block !== undefined && fits(block)) to = middle;
      else from = middle + 1;
    }
    return from;
  }
}
