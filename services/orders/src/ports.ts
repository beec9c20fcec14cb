import type { FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { LeasedIndex } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { ContractVerdict } from '@hindsight/chain/tokens/erc1271.ts';
import type { SeenFill } from '@hindsight/events/orders-settled.ts';
import type { NonceBit, OrderTerms } from './domain/ending.ts';
import type { OrderEnd } from './domain/order-end.ts';
import type { OrderRecord } from './domain/order-event.ts';
import type { FillLog, OrderLog } from './domain/order-logs.ts';
import type { Paid } from './domain/paid-amounts.ts';
import type { OrderFilter, OrderPlace } from './domain/order-list.ts';
import type { OrderState } from './domain/order-state.ts';

export interface StoredOrder {
  readonly record: OrderRecord;
  /** Open for orders that were stored before states were kept. */
  readonly state: OrderState;
}

/** The outcome of a change of state. `final`: a final state stands, and it is another. */
export type Settlement = 'changed' | 'unchanged' | 'final' | 'unknown';

/** Verified orders, each with its state in the outbox. */
export interface OrderStore {
  /**
   * Stores an order for publishing. It is on disk when this resolves.
   * @throws {StoreUnavailable} it is unknown whether the order was stored
   */
  insert(record: OrderRecord): Promise<'stored' | 'duplicate'>;
  has(id: string): Promise<boolean>;
  find(id: string): Promise<StoredOrder | null>;
  /** Lists orders, newest first, those received in one millisecond by their ids. @param after the last one of the page before */
  list(filter: OrderFilter, after: OrderPlace | undefined, limit: number): Promise<readonly StoredOrder[]>;
  /**
   * Writes how an order stands, unless a final state is stored: that never changes. A final state waits in the outbox from
   * then on, by the same write. Safe to repeat. It is on disk when this resolves.
   * @param at when it was decided, Unix milliseconds; kept of a final state
   * @throws {StoreUnavailable} it is unknown whether it was written
   */
  settle(id: string, state: OrderState, at: number): Promise<Settlement>;
  /** Removes orders that are published, were received before one time and need be kept only until another. */
  removeOld(before: Retention, limit: number): Promise<number>;
}

/** Bounds of removal. */
export interface Retention {
  /** Unix milliseconds. */
  readonly receivedBefore: number;
  /** Unix seconds; compared with `rememberedUntil`. An order that could still be accepted must be known as a duplicate. */
  readonly deadlineBefore: number;
  /** The same for orders whose end is not decided yet: it may be that no node answers. */
  readonly openDeadlineBefore: number;
}

export interface BatchEntry {
  readonly sequence: number;
  readonly record: OrderRecord;
  /** Set where the entry tells the order's end. */
  readonly end?: Omit<OrderEnd, 'record'>;
}

/** Some orders on their way out, with the numbers that they carry each time they are sent. */
export interface Batch {
  readonly number: number;
  /** The source of all events of this store. */
  readonly source: string;
  /** In the order of their sequences. */
  readonly entries: readonly BatchEntry[];
}

/**
 * Orders stored but not yet published. Of any number of relays, one leads at a time. One conditional write
 * fixes a batch before it is sent, so any relay that repeats it sends the same events with the same
 * sequences. Nothing new is sent before it is done.
 */
export interface Outbox {
  /** Takes or renews the lead. Resolves to false while another relay has it. */
  lead(relay: string, now: number, until: number): Promise<boolean>;
  /**
   * The unfinished batch, or else a new one of the oldest orders; null when nothing waits or the lead is
   * lost.
   */
  nextBatch(relay: string, limit: number): Promise<Batch | null>;
  /** The batch is published: its orders are done. */
  finish(relay: string, batch: Batch): Promise<void>;
  /** Releases the lead. */
  resign(relay: string): Promise<void>;
  /** Orders and ends of orders that wait; counted up to a limit. */
  waiting(limit: number): Promise<number>;
  /** Skips this many sequences: the next batch begins after them. A batch under way keeps its sequences. */
  skip(sequences: number): Promise<void>;
  /** Time at which the oldest of them was received, or decided, Unix milliseconds; undefined if none waits. */
  waitingSince(): Promise<number | undefined>;
}

export interface PublishedHead {
  /** The source of all events of this store. */
  readonly source: string;
  /** Of the last published event; 0 before the first. */
  readonly sequence: number;
}

/** Published orders, while they are kept: the source of streams. */
export interface PublishedOrders {
  head(): Promise<PublishedHead>;
  /** Events after one sequence and up to that of a head, in order. */
  read(after: number, upTo: number, limit: number): Promise<readonly BatchEntry[]>;
}

/** An order that only its swapper's contract can confirm, and has not confirmed yet. */
export interface PendingOrder extends OrderRecord {
  /** Tells apart the same order under different signatures or cosigner data. */
  readonly claim: string;
  readonly digest: string;
  readonly attempts: number;
}

/** Pending orders that a process is to check: its networks' own once they are due, and those that no process has checked. */
export interface DueBy {
  readonly chainIds: readonly number[];
  /** Of these chains: Unix milliseconds. */
  readonly own: number;
  /** Of all other chains. */
  readonly others: number;
}

/** Orders whose contracts have not answered yet. */
export interface PendingOrders {
  /** Stores it, to be checked from `dueAt` on. It is on disk when this resolves. @throws {StoreUnavailable} */
  add(order: PendingOrder, dueAt: number): Promise<'stored' | 'duplicate'>;
  /** Orders that are due, longest due first; no other caller gets them before `until`. */
  takeDue(due: DueBy, until: number, limit: number): Promise<readonly PendingOrder[]>;
  /** Sets a new due time. */
  postpone(claim: string, dueAt: number): Promise<void>;
  remove(claim: string): Promise<void>;
}

/** Asks contract wallets (ERC-1271). */
export interface ContractSignatures {
  /** @param how `atNewHead`: reads the node's head first, instead of using one that is half a second old */
  check(
    question: {
      readonly chainId: number;
      readonly swapper: string;
      readonly digest: string;
      readonly signature: string;
    },
    how: { readonly timeoutMs: number; readonly atNewHead?: boolean },
  ): Promise<ContractVerdict>;
  /** True if there is code at the swapper's address; undefined when no node answers in time. */
  hasCode(
    account: { readonly chainId: number; readonly swapper: string },
    how: { readonly timeoutMs: number },
  ): Promise<boolean | undefined>;
}

/** Publishes verified orders, and dead letters for those that could not be verified. */
export interface OrderPublisher {
  /** Resolves when all are on disk. */
  publish(batch: Batch): Promise<void>;
  publishDeadLetter(record: OrderRecord, reason: string): Promise<void>;
}

/** An order that has not ended, as far as the store knows. */
export interface WatchedOrder {
  readonly record: OrderRecord;
  /** Height of a block by which its nonce was unspent; null before the first look. */
  readonly clearAt: number | null;
}

/** An order whose stored fill is in a block that is not final. */
export interface SeenFilled {
  readonly id: string;
  readonly fill: SeenFill;
}

/** Reads the blocks that are not final yet. Methods throw a NodeError where no node answers. */
export interface HeadReader extends Pick<FinalizedLogs<readonly OrderLog[]>, 'hashAt' | 'read'> {
  head(signal: AbortSignal): Promise<Block | null>;
}

/** Position of the search for the ends of a network's orders. */
export interface WatchPosition extends Position {
  /** Time at which it moved last, Unix milliseconds. */
  readonly movedAt: number;
}

/** A look at a nonce that was unspent. */
export interface ClearLook {
  /** Of the order. */
  readonly id: string;
  readonly clearAt: number;
  /** A block's time from which on it is looked at again: Unix seconds. */
  readonly lookAt: number;
}

/** Open orders of one network, and the position of the search for their ends. All writes are on disk when they resolve. */
export interface OrderWatch extends LeasedIndex {
  /** Published orders that are to be looked at, by the time of a block; longest due first. */
  due(time: number, limit: number): Promise<readonly WatchedOrder[]>;
  /**
   * Published orders of some swappers, in parts: there may be any number of them. Those that end meanwhile may be left out.
   * @param swappers lower case, each once
   */
  ofSwappers(swappers: readonly string[], atOnce: number): AsyncIterable<readonly WatchedOrder[]>;
  /** Published orders whose stored fill is in a block that is not final. */
  seenFilled(): Promise<readonly SeenFilled[]>;
  noteClear(looks: readonly ClearLook[]): Promise<void>;
  /** Sets the time of the next look at an order that is open. */
  postpone(id: string, lookAt: number): Promise<void>;
  /** Null before the first search. */
  position(): Promise<WatchPosition | null>;
  /** Moves the position from `base`. The lease must have been claimed once. @throws {CheckpointConflict} */
  advance(base: Position | null, to: WatchPosition): Promise<void>;
}

/** A spent nonce, of which the block that spent it is to be found. */
export interface NonceSearch {
  readonly order: OrderTerms;
  /** A block by which its bit was clear; null if none is known. */
  readonly clearAt: number | null;
}

export interface FoundBit {
  /** Position among the searches. */
  readonly at: number;
  /** Undefined where no node has the state from before the bit was set. */
  readonly bit: NonceBit | undefined;
}

/** Reads what became of nonces, from finalized blocks. All throw a NodeError where no node answers. */
export interface NonceReader {
  /** True for each order whose bit of Permit2's bitmap is set by a block; a few requests for hundreds of orders. */
  areSet(block: Block, orders: readonly OrderTerms[], signal: AbortSignal): Promise<readonly boolean[]>;
  /**
   * Finds the blocks that set the bits of some orders, and reads their events. The searches share requests: a hundred of them
   * take some ten times the requests of one.
   * @param set a block by which all are set
   * @returns each outcome once it is known, in no order
   */
  whenSet(searches: readonly NonceSearch[], set: Block, signal: AbortSignal): AsyncIterable<FoundBit>;
  /** The blocks at some heights, all finalized, by height. */
  blocks(heights: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, Block>>;
}

export interface FillReader {
  /** @throws {NodeError} where no node answers at the moment */
  paid(record: OrderRecord, fill: FillLog, signal: AbortSignal): Promise<Paid>;
}

export interface OrderStores {
  /** The open orders of a network, by its name. */
  watch(network: string): OrderWatch;
  readonly orders: OrderStore;
  readonly outbox: Outbox;
  readonly published: PublishedOrders;
  readonly pending: PendingOrders;
}
