import { Fault } from '@hindsight/kernel/errors.ts';

/** All blocks from `from` to `number` are in the index. */
export interface Position {
  readonly from: number;
  readonly number: number;
  readonly hash: string;
}

/** Another instance has advanced the index since the position that a change was based on. */
export class CheckpointConflict extends Fault {
  constructor() {
    super('another instance has advanced the index');
  }
}

/** A range must follow the position directly: a gap would never be filled. @throws {RangeError} */
export function refuseGap(base: Position | null, from: number): void {
  if (base !== null && from !== base.number + 1) {
    throw new RangeError(`a range from ${from} does not follow block ${base.number}`);
  }
}
