/** One call of a view at many blocks: the question, and what was read. */
import type { AccountRef, HolderAt } from '../account.ts';
import type { ReadBlock } from '../pinned.ts';
import type { PointsQuestion } from '../series.ts';
import type { CallRow } from './call.ts';
import type { AbiFunction } from './signature.ts';

/** Asks for the values of a view over time. */
export interface CallSeriesQuestion extends PointsQuestion {
  readonly target: AccountRef;
  readonly called: AbiFunction;
  /** Of the call: selector and arguments. */
  readonly data: string;
}

/** The outcome at one point. */
export interface CallPoint {
  readonly block: ReadBlock;
  /** The moment that was meant, in Unix seconds; null where the series steps through heights. */
  readonly instant: number | null;
  readonly outcome: CallRow | 'no-contract';
}

/** The values of a view over time. */
export interface CallSeriesReading {
  readonly target: HolderAt;
  /** Ascending; at least one. */
  readonly points: readonly CallPoint[];
}
