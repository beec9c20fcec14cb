import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { IndexLease, LeasedIndex } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { ListFilter } from './domain/lists.ts';
import type { Token, TokenNames } from './domain/token.ts';

export interface Checkpoint extends Position {
  /** Tokens listed. */
  readonly count: number;
  /** Rises with every change of what is listed. */
  readonly version: number;
  /** Tokens, from the first, that can be found by the words in their names: fewer than all where 0.2.0 has listed some. */
  readonly words: number;
}

export interface NewToken extends Token {
  /** The time of a finalized block from which on it is to be checked again, in Unix seconds; null if nothing is missing. */
  readonly lookAt: number | null;
}

/** Additions of a range of blocks to the index. */
export interface IndexedRange extends BlockRange {
  /** The hash of the block `to`. */
  readonly hash: string;
  /** In the list's order. */
  readonly tokens: readonly NewToken[];
  /** Lower-cased addresses of contracts that are not tokens, so that they are not judged again. */
  readonly others: readonly string[];
}

/** A listed token that is to be checked again. */
export interface DueToken {
  readonly token: Token;
  /** Looks taken after the first. */
  readonly looks: number;
}

/** The result of another check of a listed token. */
export interface NewLook {
  readonly address: string;
  readonly names: TokenNames;
  readonly lookAt: number | null;
}

export interface TokenRows {
  /** Tokens that match, on all pages together. */
  readonly total: number;
  readonly tokens: readonly Token[];
}

export interface TokenList {
  checkpoint(): Promise<Checkpoint | null>;
  /** The rows of a list from the `first`, counted from 0; any of them costs the same. */
  page(filter: ListFilter, first: number, limit: number): Promise<TokenRows>;
  /** @param address in any case */
  find(address: string): Promise<Token | null>;
  /** The instance that indexes or was the last to; null before the first. */
  lease(): Promise<IndexLease | null>;
}

export interface ServedList {
  readonly network: Network;
  readonly list: TokenList;
}

/**
 * The list with its checkpoint. A change takes effect as a whole or not at all, and only on the checkpoint
 * that it is based on: an indexer that was paused while another continued cannot write anything stale.
 */
export interface TokenIndex extends TokenList, LeasedIndex {
  /** The checkpoint, after completing the half-done work of a killed indexer. */
  resume(): Promise<Checkpoint | null>;
  /** The addresses of these (lower-cased) that are neither listed nor known to be no tokens. */
  unseen(addresses: readonly string[]): Promise<readonly string[]>;
  /** Adds the range that follows `base`; any range where that is null. @throws {CheckpointConflict} */
  append(base: Checkpoint | null, range: IndexedRange): Promise<Checkpoint>;
  /** Tokens due for a recheck at the time of a finalized block, earliest first. */
  due(time: number, limit: number): Promise<readonly DueToken[]>;
  /**
   * Makes the next tokens, at most `limit`, findable by the words in their names. `append` and `noteLooks` come after
   * all of them. @throws {CheckpointConflict}
   */
  addWords(base: Checkpoint, limit: number): Promise<Checkpoint>;
  /** Notes later checks. @throws {CheckpointConflict} */
  noteLooks(base: Checkpoint, looks: readonly NewLook[]): Promise<Checkpoint>;
}
