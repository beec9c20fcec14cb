/** The events of a range of blocks, reduced to an index's needs. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';

/** The contents of a range of blocks, with the hashes that link it to its neighbours. */
export interface RangeReading<Found> extends BlockRange {
  /** The parent hash of the first block. */
  readonly parentHash: string;
  /** The hash of the last block. */
  readonly hash: string;
  /** Number of events read. */
  readonly count: number;
  readonly found: Found;
}

/** An event as the node sent it; only its block and first topic are checked. */
export interface RawLog {
  readonly address?: unknown;
  readonly topics: readonly unknown[];
  readonly data?: unknown;
  readonly transactionHash?: unknown;
}

export interface LogBlock {
  readonly number: number;
  readonly hash: string;
}

/** The events of an index, and their reduction. */
export interface LogReduction<Found> {
  /** First topics, lower case: only their events are requested. */
  readonly topics: readonly string[];
  /** Lower-cased; any contract's events if not given. */
  readonly address?: string;
  /** Starts a reduction. `take` adds a log, and throws where the log is malformed. */
  readonly start: () => { readonly found: Found; readonly take: (log: RawLog, block: LogBlock) => void };
  /** Joins the results of two ranges, of which the second follows the first. */
  readonly join: (first: Found, second: Found) => Found;
}

/** Joins two ranges of which the second follows the first; null where they are not of one chain. */
export function joinReadings<Found>(
  first: RangeReading<Found>,
  second: RangeReading<Found>,
  join: LogReduction<Found>['join'],
): RangeReading<Found> | null {
  if (second.from !== first.to + 1 || second.parentHash !== first.hash) return null;
  const count = first.count + second.count;
  return { ...first, to: second.to, hash: second.hash, count, found: join(first.found, second.found) };
}
