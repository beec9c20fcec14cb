import { Fault } from '@hindsight/kernel/errors.ts';

/** Consecutive blocks, ends included. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/** The range is too large for one answer of the node. */
export class RangeTooLarge extends Fault {
  /** Number of blocks that the node proposes. */
  readonly proposed: number | undefined;

  constructor(proposed: number | undefined, cause: unknown) {
    super('the range is too large for one answer of the node', { cause });
    this.proposed = proposed;
  }
}
