import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { OtherService } from '@hindsight/http/other-service.ts';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { IndexStatus } from '@hindsight/indexing/progress.ts';
import type { Approval, Point, Touched } from './domain/points.ts';
import type { Track } from './domain/tracks.ts';

export interface TouchedRange extends BlockRange, Touched {
  /** The hash of the block `to`. */
  readonly hash: string;
}

export interface HoldersQuestion {
  readonly track: Track;
  /** Lower-cased. */
  readonly token: string;
  /** Of an ERC-1155; any if not given. */
  readonly id?: bigint | undefined;
  /** The last block, at most that of the track's position. */
  readonly upTo: number;
  /** Only those after this lower-cased address. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface TouchedBlock {
  readonly number: number;
  /** Known of blocks that are not indexed yet. */
  readonly hash?: string;
  /** The tokens of these events, lower-cased. */
  readonly tokens: readonly string[];
}

export interface TouchedBy {
  /** Lower-cased; any if null. */
  readonly tokens: readonly string[] | null;
  /** Lower-cased; any if not given. */
  readonly holder: string | undefined;
}

export interface BlocksQuestion extends TouchedBy {
  readonly from: number;
  /** At most the positions of all tracks that the question is about. */
  readonly to: number;
  /** From the last one down. */
  readonly newest: boolean;
  readonly limit: number;
}

/** Selects what concerns one account in the track of all tokens, the newest first. */
export interface AccountQuestion {
  /** Lower-cased. */
  readonly account: string;
  /** The last block, at most that of the track's position. */
  readonly upTo: number;
  readonly limit: number;
}

export interface PointsQuestion extends BlockRange {
  readonly track: Track;
  /** Lower-cased. */
  readonly token: string;
}

/** A row of a file: an address with its balance, or the reason why that could not be read. */
export interface ExportRow {
  readonly holder: string;
  readonly balance: string | null;
  readonly error: string | null;
}

export interface ExportedRows {
  readonly block: number;
  readonly parts: AsyncIterable<readonly ExportRow[]>;
}

/**
 * The index of one network's holders. A range is in it as a whole before the position says so, and readers see no more
 * than the position covers: a process that is killed at any line loses nothing, and adds nothing twice.
 */
export interface HolderIndex {
  /** The last indexed block of a track; null before its first range. */
  position(track: Track): Promise<Position | null>;
  /** The same of several tracks, in their order, by one question. */
  positions(tracks: readonly Track[]): Promise<readonly (Position | null)[]>;
  /** Adds the range that follows `base`; any range where that is null. @throws {CheckpointConflict} */
  append(track: Track, base: Position | null, range: TouchedRange): Promise<Position>;
  /** Every holder that was touched, once, in the order of addresses, part by part. Lower-cased. */
  holders(question: HoldersQuestion): AsyncIterable<readonly string[]>;
  /** The blocks with such events, in order. */
  blocks(question: BlocksQuestion): Promise<readonly TouchedBlock[]>;
  /** The last point of each token, and of each of its ids, that touched an account. */
  tokensOf(question: AccountQuestion): Promise<readonly Omit<Point, 'holder'>[]>;
  /** The last approval of each spender that an account gave. */
  approvalsOf(question: AccountQuestion): Promise<readonly Omit<Approval, 'owner'>[]>;
  /** Points of a token in some blocks, for comparisons. */
  points(question: PointsQuestion): Promise<readonly Point[]>;
  /** The instance that walks a track or was the last to; null before the first. */
  lease(track: Track): Promise<IndexLease | null>;
  /** Takes or renews the lease; false while another instance holds it at the time `now` (Unix milliseconds). */
  claim(track: Track, lease: IndexLease, now: number): Promise<boolean>;
  release(track: Track, holder: string): Promise<void>;
  /** Removes a track, whose walk has ended, and gives its space back. Rows that another track has too stay there. */
  remove(track: Track): Promise<void>;
  /** The size of all tracks together. */
  size(): Promise<IndexSize>;
  /**
   * Makes a Parquet file: `holder`, `balance` (text), `balance_float`, `block`, `error`. Its first bytes come once all rows
   * are in. What is written on the way is removed when it ends, fails or is returned.
   */
  toParquet(rows: ExportedRows): AsyncGenerator<Uint8Array, void>;
}

/** The room that an index takes, and what there is left for it. */
export interface IndexSize {
  readonly rows: number;
  readonly bytes: number;
  readonly freeBytes: number;
}

/** A wish of the administration, which the service fulfils. */
export interface TrackWish {
  readonly track: Track;
  readonly wish: 'index' | 'remove';
  /** The first block that is wanted; of no meaning where it is removed. */
  readonly fromBlock: number;
}

/** The words of the service about a track that it walks. */
export interface TrackReport {
  readonly track: Track;
  /** True if the settings name it: the administration cannot remove it. */
  readonly isSet: boolean;
  readonly position: Omit<Position, 'hash'> | null;
  readonly status: IndexStatus | null;
  /** One line about its self-check; null before the first. */
  readonly checked: string | null;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The place where administration and service meet: neither opens the index of the other. */
export interface TrackBook {
  wishes(): Promise<readonly TrackWish[]>;
  /** Takes the place of an earlier wish about the track. */
  wish(wish: TrackWish): Promise<void>;
  /** Each takes the place of the last one about its track. */
  report(reports: readonly TrackReport[]): Promise<void>;
  /** The last one of each track. */
  reports(): Promise<readonly TrackReport[]>;
  forget(track: Track): Promise<void>;
}

/** Reads state: the balance service does, pinned to a block, as it does for anybody. */
export type BalanceApi = OtherService;

export interface PinnedBlock extends Block {
  readonly finalized: boolean;
}

/** Searches the blocks that are not indexed yet. */
export interface RecentHolders {
  /**
   * Whom a token's events touch: lower-cased, each once, in the order of addresses.
   * @param to with `isNamed`, what was found before will do: who names a block learns that it is gone, while the latest is
   *   searched again and thereby known to be there
   * @throws {ApiError} where the nodes do not say all of it in time
   */
  find(
    token: string,
    from: number,
    to: PinnedBlock & { readonly isNamed?: boolean },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /** The blocks with such events, ascending. @throws {ApiError} as `find` */
  blocks(of: TouchedBy, from: number, to: PinnedBlock, signal: AbortSignal): Promise<readonly TouchedBlock[]>;
}

export interface TokenEvent {
  /** Lower-cased. */
  readonly token: string;
  readonly topics: readonly string[];
  readonly data: Buffer;
  /** The hash of its transaction. */
  readonly transaction: string;
  readonly logIndex: number;
}

/** A block with the events of some tokens, in their order. */
export interface BlockOfEvents {
  readonly number: number;
  readonly hash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly events: readonly TokenEvent[];
}

export interface TransferEvents {
  /**
   * In the order of the blocks.
   * @param holder lower-cased, where each block's tokens have touched it
   * @throws {NodeError} where no node has all of it; `tooLarge` where it is to be asked for fewer
   */
  read(
    blocks: readonly TouchedBlock[],
    holder: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly BlockOfEvents[]>;
}
