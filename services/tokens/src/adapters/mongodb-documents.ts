/**
 * The token index in MongoDB, without transactions over several documents.
 *
 * Changes are entries of a log, numbered without gaps; adding the entry with the next number is the one atomic step, and
 * of two that try one fails. Everything else (tokens, positions in lists) is derived from the log, in its order and
 * always the same: the next indexer completes what a killed one began, and one that was paused can only repeat what is
 * there. Readers see what the checkpoint covers.
 */
import type { CollectionIndexes } from '@hindsight/stores/mongodb.ts';
import type { Token, TokenNames, TokenType } from '../domain/token.ts';
import type { Checkpoint, IndexLease, NewToken } from '../ports.ts';

/** A listed token, by its lower-cased address. */
export interface TokenDocument extends TokenNames {
  readonly _id: string;
  /** Its position in the list, from 0, without gaps. */
  readonly ordinal: number;
  readonly address: string;
  readonly blockHeight: number;
  readonly type: TokenType;
  /** The finalized height at which it is to be checked again. */
  readonly lookAt: number | null;
  readonly looks: number;
  /** The log entry that wrote its names. */
  readonly entry: number;
}

/** A position in a list by type or prefix; `_id` is made by `positionId`. */
export interface PositionDocument {
  readonly _id: string;
  readonly ordinal: number;
  /** The log entry that it comes from. */
  readonly entry: number;
}

/** A contract that is not a token, by its lower-cased address. */
export interface OtherDocument {
  readonly _id: string;
}

/** A later look at a token, as stored in the log. */
export interface LoggedLook {
  readonly ordinal: number;
  /** As it was before. */
  readonly token: Token;
  readonly names: TokenNames;
  readonly lookAt: number | null;
}

/** An entry of the log; its content goes once it is covered by the checkpoint, its number stays. */
export interface LogDocument {
  readonly _id: number;
  /** The checkpoint that it leads to. */
  readonly to: Checkpoint;
  /** The ordinal of the first of the tokens. */
  readonly first: number;
  readonly tokens: readonly NewToken[];
  readonly looks: readonly LoggedLook[];
}

/** The checkpoint; one document. */
export interface CheckpointDocument extends Checkpoint {
  readonly _id: 'checkpoint';
}

/** The lease; one document of the same collection. */
export interface LeaseDocument extends IndexLease {
  readonly _id: 'lease';
}

/** Names of the collections; `token_places` is the released name of the positions. */
export const COLLECTIONS = {
  tokens: 'tokens',
  positions: 'token_places',
  others: 'token_others',
  log: 'token_log',
  state: 'token_state',
} as const;

/** The indexes of the queries, beside each collection's own on `_id`. */
export const TOKEN_INDEXES: readonly CollectionIndexes[] = [
  {
    collection: COLLECTIONS.tokens,
    indexes: [
      { name: 'ordinal', key: { ordinal: 1 }, unique: true },
      { name: 'look', key: { lookAt: 1, ordinal: 1 } },
    ],
  },
];

const DIGITS = 10;

/** The id of the n-th position of a list: sorted as text, a list's positions are in order. */
export function positionId(list: string, n: number): string {
  return `${list}\t${String(n).padStart(DIGITS, '0')}`;
}

/** The bounds of all of a list's ids. */
export function positionsOf(list: string): { readonly $gte: string; readonly $lt: string } {
  // The character after 9 is the colon.
  return { $gte: `${list}\t0`, $lt: `${list}\t:` };
}

/** The position of an id. */
export function positionOf(id: string): number {
  return Number(id.slice(-DIGITS));
}

/** The token of a document. */
export function toToken({ address, blockHeight, type, name, symbol, decimals }: TokenDocument): Token {
  return { address, blockHeight, type, name, symbol, decimals };
}

/** The checkpoint of a document. */
export function toCheckpoint({ from, number, hash, count, version }: Checkpoint): Checkpoint {
  return { from, number, hash, count, version };
}
