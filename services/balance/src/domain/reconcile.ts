/** Books held against the chain: where they first differ, and what happened there. */
import type { AccountRef, HolderAt } from './account.ts';
import type { BalanceChange } from './changes.ts';
import type { ReadBlock } from './pinned.ts';
import type { Bound } from './series.ts';
import type { TokenAt } from './token.ts';

export interface BookedRow {
  readonly when: Bound;
  readonly balance: bigint;
}

/** Asks whether books are right. */
export interface ReconcileQuestion {
  /** EIP-55; null for the native coin. */
  readonly token: string | null;
  readonly holder: AccountRef;
  /** At least one, in any order. */
  readonly rows: readonly BookedRow[];
}

export interface CheckedRow {
  readonly block: ReadBlock;
  readonly booked: bigint;
  /** Null where the token had no balance for the holder. */
  readonly amount: bigint | null;
}

/** The first row that differs, and the last one before it that does not. */
export interface Divergence {
  /** Null where no row before it is right: then nothing says from where on the books are wrong. */
  readonly after: ReadBlock | null;
  readonly by: ReadBlock;
  /** The chain's balance less the booked one. */
  readonly difference: bigint;
  /** Changes after the one block and up to the other, the oldest first. */
  readonly changes: readonly BalanceChange[];
  /** True if these are all of them, each at its block. */
  readonly isComplete: boolean;
}

export interface ReconcileReading {
  readonly holder: HolderAt;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** In the order of the question. */
  readonly rows: readonly CheckedRow[];
  readonly first: Divergence | null;
}

export interface Explanation {
  /** `transfer`: a change with events is as large; `state`: one without, or all that no event explains. */
  readonly cause: 'transfer' | 'state';
  /** Null where several blocks together account for it. */
  readonly change: BalanceChange | null;
}

/** Explains a difference: the one change that is as large, or what no event explains. Undefined where neither is clear. */
export function explain({ difference, changes, isComplete }: Divergence): Explanation | undefined {
  const moved = changes.map((change) => {
    const by = sizeOf(change);
    return { change, by, rest: by - change.net };
  });
  // The size of a change to or from a balance that the token did not report is not known; that of all together is.
  const known = moved.filter(({ change: { before, after } }) => before !== null && after !== null);
  const whole = known.filter(({ by }) => by === difference);
  const parts = known.filter(({ by, rest }) => rest === difference && by !== difference);
  const [one, ...others] = [...whole, ...parts];
  if (one && others.length === 0)
    return { cause: one.by === difference ? one.change.cause : 'state', change: one.change };
  if (one || !isComplete) return undefined;
  const rest = moved.reduce((sum, one) => sum + one.rest, 0n);
  return rest === difference ? { cause: 'state', change: null } : undefined;
}

function sizeOf({ before, after }: BalanceChange): bigint {
  return (after ?? 0n) - (before ?? 0n);
}
