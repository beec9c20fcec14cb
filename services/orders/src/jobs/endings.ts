/**
 * Decides how orders end, from finalized blocks alone. The walk's events name most ends at once, in one request for a range of
 * blocks, however many orders are open. State names the rest: the nonce of an order is looked at when the order is new, when
 * its deadline has passed, and now and then.
 */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { FinalizedBlock, FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import {
  endingOf,
  invalidates,
  isFillOf,
  isSiblingOf,
  type Ending,
  type OrderTerms,
} from '../domain/ending.ts';
import { termsOf, toState } from '../domain/ended-state.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import type { OrderLog } from '../domain/order-logs.ts';
import type { ClearLook, FillReader, NonceReader, OrderStore, OrderWatch, WatchedOrder } from '../ports.ts';
import type { HeadFills } from './head-fills.ts';
import { ordersOfSwappers } from './orders-of-swappers.ts';

type Range = RangeReading<readonly OrderLog[]>;

export interface EndingsDeps {
  readonly watch: OrderWatch;
  readonly orders: Pick<OrderStore, 'settle'>;
  readonly logs: Pick<FinalizedLogs<unknown>, 'finalized'>;
  readonly nonces: NonceReader;
  readonly fills: FillReader;
  readonly head: Pick<HeadFills, 'look'>;
  readonly reporter: WalkReporter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** An order has ended. */
  readonly onEnded: (status: Ending['status']) => void;
}

/** Orders whose nonces are looked at after a round: a few requests. */
const LOOKS_AT_ONCE = 1_000;
/** Of those, the most that are searched for the block that spent their nonce: some twenty requests each. */
const SEARCHES_AT_ONCE = 10;
/** Seconds by the chain's time between two looks at an order. */
const LOOK_AGAIN_SECONDS = 600;
const UNKNOWN_END =
  'its nonce was used before the oldest block whose state a node has: it was filled, cancelled or had expired';

/** The ends of a network's orders, as a walk over its blocks finds them. */
export class Endings implements WalkedIndex<readonly OrderLog[], Range, Position> {
  readonly #deps: EndingsDeps;

  constructor(deps: EndingsDeps) {
    this.#deps = deps;
  }

  /** Begins at the last finalized block: what was before shows in the first look at each order. */
  async resume(signal: AbortSignal): Promise<Position | null> {
    const { watch, logs, clock } = this.#deps;
    const known = await watch.position();
    if (known !== null) return known;
    const finalized = await logs.finalized(signal);
    if (finalized === null) return null;
    const { number, hash } = finalized;
    const begun = { from: number, number, hash, movedAt: clock.now() };
    await watch.advance(null, begun);
    return begun;
  }

  prepare(reading: Range): Promise<Range> {
    return Promise.resolve(reading);
  }

  /** The position moves behind the ends of its range: after a kill they are found again, and change nothing. */
  async add(base: Position | null, range: Range, { signal }: AddOptions): Promise<Position> {
    const { watch, reporter, clock } = this.#deps;
    await this.#settleBy(range, signal);
    const position = {
      from: base?.from ?? range.from,
      number: range.to,
      hash: range.hash,
      movedAt: clock.now(),
    };
    await watch.advance(base, position);
    reporter.applied(position, range.count, range);
    return position;
  }

  async #settleBy({ found, to }: Range, signal: AbortSignal): Promise<void> {
    const swappers = found.map((log) => (log.kind === 'fill' ? log.swapper : log.owner));
    for await (const record of ordersOfSwappers(this.#deps.watch, swappers)) {
      const terms = termsOf(record);
      const log = spendingLog(terms, found);
      const ending = log && (await this.#endingBy(terms, log, found, signal));
      if (ending !== undefined) await this.#settle(record, ending, { knownAt: to, signal });
    }
  }

  /**
   * The ending that an event shows; undefined for an invalidation of a nonce that was already spent, which Permit2 logs all
   * the same. The nonce may have been spent before the walk began, or by another application: the next look at the order
   * finds out from state.
   */
  async #endingBy(
    terms: OrderTerms,
    { kind, block }: OrderLog,
    found: readonly OrderLog[],
    signal: AbortSignal,
  ): Promise<Ending | undefined> {
    const [before, own] = (await this.#deps.nonces.blocks([block - 1, block], signal)) as [Block, Block];
    if (kind === 'invalidation' && !(await this.#isUnspent(terms, before, signal))) return undefined;
    const logs = found.filter((log) => log.block === block);
    return endingOf(terms, own, { isSet: true, block: own, clearUntil: before.timestamp, logs });
  }

  /** False also where no node has the state of that block any more. */
  async #isUnspent(terms: OrderTerms, block: Block, signal: AbortSignal): Promise<boolean> {
    try {
      const [isSet] = await this.#deps.nonces.areSet(block, [terms], signal);
      return !isSet;
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'missing-state') return false;
      throw error;
    }
  }

  async caughtUp(base: Position, finalized: FinalizedBlock, signal: AbortSignal): Promise<void> {
    if (base.hash !== finalized.hash) return;
    await this.#lookAtDue(finalized, signal);
    try {
      await this.#deps.head.look(finalized, signal);
    } catch (error) {
      // The next round reads again what is not final.
      if (signal.aborted || !(error instanceof NodeError)) throw error;
      this.#deps.reporter.retry(error);
    }
  }

  /** Looks at the nonces of orders that are due. */
  async #lookAtDue(finalized: FinalizedBlock, signal: AbortSignal): Promise<void> {
    const { watch, nonces } = this.#deps;
    const due = await watch.due(finalized.timestamp, LOOKS_AT_ONCE);
    if (due.length === 0) return;
    const terms = due.map(({ record }) => termsOf(record));
    const bits = await nonces.areSet(finalized, terms, signal);
    const knownAt = finalized.number;
    const spent: WatchedOrder[] = [];
    const looks: ClearLook[] = [];
    for (const [at, order] of due.entries()) {
      const { id, order: decoded } = order.record;
      const ending = bits[at] ? undefined : endingOf(terms[at]!, finalized, { isSet: false });
      if (ending === undefined) spent.push(order);
      else if (ending.status === 'open')
        looks.push({ id, clearAt: knownAt, lookAt: nextLook(decoded.deadline, finalized) });
      else await this.#settle(order.record, ending, { knownAt, signal });
    }
    await watch.noteClear(looks);
    for (const order of spent.slice(0, SEARCHES_AT_ONCE)) await this.#search(order, finalized, signal);
  }

  /** Leaves an order open, with the reason, where no node has the state any more; it is looked at again later. */
  async #search(
    { record, clearAt }: WatchedOrder,
    finalized: FinalizedBlock,
    signal: AbortSignal,
  ): Promise<void> {
    const { nonces, watch, logger } = this.#deps;
    const terms = termsOf(record);
    try {
      const bit = await nonces.whenSet(terms, { clearAt, set: finalized }, signal);
      await this.#settle(record, endingOf(terms, finalized, bit), { knownAt: finalized.number, signal });
    } catch (err) {
      if (!(err instanceof NodeError) || err.kind !== 'missing-state') throw err;
      logger.warn({ err, order: record.id }, 'no node has the block that spent the nonce of an order');
      const unknown = { status: 'open', reason: UNKNOWN_END, knownAt: finalized.number } as const;
      await this.#deps.orders.settle(record.id, unknown, this.#deps.clock.now());
      await watch.postpone(record.id, finalized.timestamp + LOOK_AGAIN_SECONDS);
    }
  }

  async #settle(
    record: OrderRecord,
    ending: Ending,
    { knownAt, signal }: { readonly knownAt: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { orders, fills, clock } = this.#deps;
    const paid = ending.status === 'filled' ? await fills.paid(record, ending.fill, signal) : undefined;
    const outcome = await orders.settle(record.id, toState(ending, knownAt, paid), clock.now());
    if (outcome === 'changed') this.#deps.onEnded(ending.status);
  }

  claim(lease: IndexLease, now: number): Promise<boolean> {
    return this.#deps.watch.claim(lease, now);
  }

  release(holder: string): Promise<void> {
    return this.#deps.watch.release(holder);
  }
}

/** The event that shows how an order ended: its fill, else the first that spent its nonce. */
function spendingLog(terms: OrderTerms, logs: readonly OrderLog[]): OrderLog | undefined {
  return (
    logs.find((log) => isFillOf(terms, log)) ??
    logs.find((log) => isSiblingOf(terms, log) || invalidates(log, terms))
  );
}

function nextLook(deadline: number, { timestamp }: FinalizedBlock): number {
  return Math.min(deadline + 1, timestamp + LOOK_AGAIN_SECONDS);
}
