/** One call of a view at many blocks: the question, and what was read. */
import type { AccountRef, HolderAt } from '../account.ts';
import type { PointsQuestion, SeriesPoint } from '../series.ts';
import type { CallRow } from './call.ts';
import type { AbiFunction } from './signature.ts';

/** Asks for the values of a view over time. */
export interface CallSeriesQuestion extends PointsQuestion {
  readonly target: AccountRef;
  readonly called: AbiFunction;
  /** Of the call: selector and arguments. */
  readonly data: string;
}

export interface CallPoint extends Pick<SeriesPoint, 'block' | 'instant'> {
  readonly outcome: CallRow | 'no-contract';
}

/** The values of a view over time. */
export interface CallSeriesReading {
  readonly target: HolderAt;
  /** Ascending; at least one. */
  readonly points: readonly CallPoint[];
}
