import type { Network } from '@hindsight/chain/networks.ts';
import type { IndexStatus } from './domain/progress.ts';
import type { ListFilter } from './domain/lists.ts';
import type { Token, TokenNames, TokenType } from './domain/token.ts';
import type { BlockRange, FirstSeen, RangeReading } from './domain/transfers.ts';

/** How far the index is: all blocks from `from` to `number` are in it. */
export interface Checkpoint {
  readonly from: number;
  readonly number: number;
  readonly hash: string;
  /** Tokens listed. */
  readonly count: number;
  /** Rises with every change of what is listed. */
  readonly version: number;
}

/** A token to be listed. */
export interface NewToken extends Token {
  /** The finalized height from which on it is to be looked at again; null where nothing is missing. */
  readonly lookAt: number | null;
}

/** What a range of blocks adds to the index. */
export interface IndexedRange extends BlockRange {
  /** The hash of the block `to`. */
  readonly hash: string;
  /** In the list's order. */
  readonly tokens: readonly NewToken[];
  /** Lower-cased addresses of contracts that are not tokens, so that they are not judged again. */
  readonly others: readonly string[];
}

/** A listed token that is to be looked at again. */
export interface DueToken {
  readonly token: Token;
  /** Looks taken after the first. */
  readonly looks: number;
}

/** The result of another look at a listed token. */
export interface NewLook {
  readonly address: string;
  readonly names: TokenNames;
  readonly lookAt: number | null;
}

/** A page's rows. */
export interface TokenRows {
  /** Tokens that match, on all pages together. */
  readonly total: number;
  readonly tokens: readonly Token[];
}

/** Which instance indexes, until when (Unix milliseconds), and its last report. */
export interface IndexLease {
  readonly holder: string;
  readonly until: number;
  readonly status: IndexStatus;
}

/** Reads the list. */
export interface TokenList {
  checkpoint(): Promise<Checkpoint | null>;
  /** The rows of a list from the `first`, counted from 0; any of them costs the same. */
  page(filter: ListFilter, first: number, limit: number): Promise<TokenRows>;
  /** @param address in any case */
  find(address: string): Promise<Token | null>;
  /** The instance that indexes or was the last to; null before the first. */
  lease(): Promise<IndexLease | null>;
}

/** The list of a network that is served. */
export interface ServedList {
  readonly network: Network;
  readonly list: TokenList;
}

/** Another instance has advanced the index since the checkpoint that a change was based on. */
export class CheckpointConflict extends Error {
  override readonly name = 'CheckpointConflict';

  constructor() {
    super('another instance has advanced the index');
  }
}

/** A range must follow the checkpoint directly: a gap would never be filled. @throws {RangeError} */
export function refuseGap(base: Checkpoint | null, from: number): void {
  if (base !== null && from !== base.number + 1) {
    throw new RangeError(`a range from ${from} does not follow block ${base.number}`);
  }
}

/**
 * The list with its checkpoint. A change takes effect as a whole or not at all, and only on the checkpoint that it is
 * based on: an indexer that was paused while another continued cannot write anything stale.
 */
export interface TokenIndex extends TokenList {
  /** The checkpoint, after completing what a killed indexer left half done. */
  resume(): Promise<Checkpoint | null>;
  /** Which of these lower-cased addresses are neither listed nor known to be no tokens. */
  unseen(addresses: readonly string[]): Promise<readonly string[]>;
  /** Adds the range that follows `base`; any range where that is null. @throws {CheckpointConflict} */
  append(base: Checkpoint | null, range: IndexedRange): Promise<Checkpoint>;
  /** Tokens whose next look is due at a finalized height, those due first first. */
  due(height: number, limit: number): Promise<readonly DueToken[]>;
  /** Notes later looks. @throws {CheckpointConflict} */
  noteLooks(base: Checkpoint, looks: readonly NewLook[]): Promise<Checkpoint>;
  /** Takes or renews the lease; false while another instance holds it at the time `now` (Unix milliseconds). */
  claim(lease: IndexLease, now: number): Promise<boolean>;
  /** Releases the lease early. */
  release(holder: string): Promise<void>;
}

/** A finalized block. */
export interface FinalizedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

/** Reads token events from the chain. Methods throw a NodeError where no node has a usable answer; the signal aborts. */
export interface TransferLogs {
  /** The last finalized block; null where the chain has none yet. */
  finalized(signal: AbortSignal): Promise<FinalizedBlock | null>;
  /** The first block at that height or above that nodes have: they may have dropped older ones, or never had them. */
  firstFrom(height: number, signal: AbortSignal): Promise<number>;
  /** The hash of a block, null where the node has none at that height. */
  hashAt(height: number, signal: AbortSignal): Promise<string | null>;
  /** Reads a range. @throws {RangeTooLarge} where the node allows only smaller ones */
  read(range: BlockRange, signal: AbortSignal): Promise<RangeReading>;
}

/** The judgement of a contract. */
export interface Judgement {
  /** Null if it is not a token. */
  readonly type: TokenType | null;
  readonly names: TokenNames;
}

/**
 * Finds out what contracts are and how they are named. Methods throw a NodeError where no node answers; the signal
 * aborts.
 */
export interface TokenJudge {
  /** What it was at the end of the block in which it was first seen: the same for every caller, at any time. */
  judge(seen: FirstSeen, signal: AbortSignal): Promise<Judgement>;
  /** What a token calls itself at a finalized block; concurrent callers share calls. */
  names(at: FinalizedBlock, address: string, signal: AbortSignal): Promise<TokenNames>;
}
