/** The blocks in which a holder's balance changed: the question, and what was read. */
import type { AccountRef, HolderAt } from './account.ts';
import type { ReadBlock } from './pinned.ts';
import type { Bound } from './series.ts';
import type { TokenAt } from './token.ts';

/** Start of the next page: the changes after a block, up to the block that the first page was pinned to. */
export interface ChangesCursor {
  readonly after: number;
  /** The hash of the last block. */
  readonly to: string;
  /** Of the question: a cursor continues no other. */
  readonly mark: string;
  /** For each token a height at which it is one, in the order of the question; undefined where it is one at the last block. */
  readonly tokensAt: readonly (number | undefined)[];
}

/** Asks for a holder's changes after one block, up to another. */
export interface ChangesQuestion {
  /** EIP-55; null for the native coin. */
  readonly token: string | null;
  readonly holder: AccountRef;
  readonly from: Bound;
  readonly to: Bound | 'latest';
  readonly limit: number;
  /** A name is resolved once, at the last block, or at each. */
  readonly resolve: 'once' | 'each';
  readonly cursor: ChangesCursor | undefined;
}

/** A change, from the state at one block to the state at a later one. */
export interface BalanceChange {
  /** The last block that is known to have the balance before; the change was in a block after it. */
  readonly afterBlock: number;
  /** The block in which, or by which, it happened. */
  readonly block: ReadBlock;
  /** `transfer`: events of that block concern the holder; `state`: none explains it. */
  readonly cause: 'transfer' | 'state';
  readonly transactions: readonly string[];
  /** Null where the token had no balance for the holder. */
  readonly before: bigint | null;
  readonly after: bigint | null;
  /** Amount in less amount out, by the events. */
  readonly net: bigint;
  /** The address that a name meant at the block, EIP-55, where it is resolved at each. */
  readonly holder?: string;
}

export interface NameMeaning {
  /** EIP-55; null where it had none. */
  readonly address: string | null;
  /** Heights: both are of the span. */
  readonly from: number;
  readonly through: number;
}

export interface ChangesReading {
  readonly holder: HolderAt;
  /** Null for the native coin. */
  readonly token: TokenAt | null;
  /** The block that the question ends at, on every page. */
  readonly to: ReadBlock;
  /** The changes of this page are after `from`, up to `through`. */
  readonly from: ReadBlock;
  readonly through: ReadBlock;
  /** Of the whole question, ascending; undefined where a name is not resolved at each block. */
  readonly meanings?: readonly NameMeaning[] | undefined;
  readonly changes: readonly BalanceChange[];
  /**
   * True if no change of the page can have been missed, and each is known to its block; undefined for a
   * token.
   */
  readonly isComplete: boolean | undefined;
  /** The source of a token's events; undefined for the native coin. */
  readonly how: 'index' | 'logs' | undefined;
  readonly next: ChangesCursor | null;
  /** True if the same question will always have this answer. */
  readonly lasting: boolean;
}

const CURSOR = /^(\d{1,15})\.(0x[0-9a-f]{64})\.([0-9a-f]{16})((?:\.\d{0,15}){0,10})$/;

export function writeCursor({ after, to, mark, tokensAt }: ChangesCursor): string {
  const heights = tokensAt.slice(0, tokensAt.findLastIndex((at) => at !== undefined) + 1);
  return Buffer.from([after, to, mark, ...heights].join('.')).toString('base64url');
}

/** Reads a cursor; undefined where it is none. */
export function readCursor(text: string): ChangesCursor | undefined {
  const [, after, to, mark, heights] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (after === undefined || to === undefined || mark === undefined) return undefined;
  const [, ...tokensAt] = heights!.split('.').map((at) => (at === '' ? undefined : Number(at)));
  return { after: Number(after), to, mark, tokensAt };
}
