/** A balance over periods: what it was at their ends, and what moved it in between. */
import type { AccountRef, HolderAt } from './account.ts';
import type { ReadBlock } from './pinned.ts';
import type { PointsQuestion } from './series.ts';
import type { TokenAt } from './token.ts';

/** Asks for the statement of a holder's balance. */
export interface StatementQuestion extends PointsQuestion {
  /** EIP-55; null for the native coin. */
  readonly token: string | null;
  readonly holder: AccountRef;
  /** A name is resolved once, at the last block, or at the end of each period. */
  readonly resolve: 'once' | 'each';
}

/** An end of a period. */
export interface PeriodEnd {
  /** The moment that was meant, in Unix seconds; null where the periods are of heights. */
  readonly instant: number | null;
  readonly block: ReadBlock;
  /**
   * `no-contract`: the token was not there, so it had no holders. `no-balance`: the contract did not answer with one.
   * `no-name`: the name had no address.
   */
  readonly amount: bigint | 'no-contract' | 'no-balance' | 'no-name';
}

/** Amounts by events. */
export interface PeriodFlow {
  readonly in: bigint;
  readonly out: bigint;
  /** Number of events. */
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

/** The statement of a balance. */
export interface StatementReading {
  readonly holder: HolderAt;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** Ascending, each begins at the block where the one before ends; at least one. */
  readonly periods: readonly Period[];
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}
