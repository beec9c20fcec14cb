/** A balance over periods: what it was at their ends, and what moved it in between. */
import type { HolderAt } from './account.ts';
import type { SeriesPoint, SeriesQuestion } from './series.ts';
import type { TokenAt } from './token.ts';

/** Asks for the statement of a holder's balance; the points are the ends of its periods. */
export type StatementQuestion = SeriesQuestion;

/** An end of a period. Where the token was not there, it had no holders. */
type PeriodEnd = Omit<SeriesPoint, 'holder'>;

export interface PeriodFlow {
  readonly in: bigint;
  readonly out: bigint;
  readonly transfers: number;
}

/** A period: after one block, up to another. */
export interface Period {
  readonly from: PeriodEnd;
  readonly to: PeriodEnd;
  /** Null where not all of its events could be searched, and where the name had no address. */
  readonly flow: PeriodFlow | null;
  /** The address that a name meant at the period's end, EIP-55, where each is resolved; null where it had none. */
  readonly holder?: string | null;
}

export interface StatementReading {
  readonly holder: HolderAt;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** Ascending, each begins at the block where the one before ends; at least one. */
  readonly periods: readonly Period[];
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}
