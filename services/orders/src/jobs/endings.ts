/**
 * Decides how orders end, from finalized blocks alone. The walk's events name most ends at once, in one request for a range of
 * blocks, however many orders are open. State names the rest: the nonce of an order is looked at when the order is new, when
 * its deadline has passed, and now and then.
 */
import { forEachAtOnce } from '@hindsight/chain/rpc/in-requests.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import type { FinalizedBlock, FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
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

export interface EndingsDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly watch: OrderWatch;
  readonly orders: Pick<OrderStore, 'settle'>;
  readonly logs: Pick<FinalizedLogs<unknown>, 'finalized'>;
  readonly nonces: NonceReader;
  readonly fills: FillReader;
  readonly head: Pick<HeadFills, 'look'>;
  readonly reporter: WalkReporter;
  readonly onEnded: (status: Ending['status']) => void;
}

/** Orders that are settled together, which share requests. */
const SETTLED_AT_ONCE = 500;
/** Orders whose nonces are looked at after a round: a few requests. */
const LOOKS_AT_ONCE = 1_000;
/** Of those, the most that are searched for the block that spent their nonce: a few hundred requests at the worst. */
const SEARCHES_AT_ONCE = 250;
/** Seconds by the chain's time between two looks at an order. */
const LOOK_AGAIN_SECONDS = 600;
const UNKNOWN_END =
  'its nonce was used before the oldest block whose state a node has: it was filled, cancelled or had expired';

interface Spent {
  readonly record: OrderRecord;
  readonly terms: OrderTerms;
  readonly log: OrderLog;
}

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

  /** The position moves once the ends of its range are stored: after a kill they are found again, and change nothing. */
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

  async #settleBy(range: Range, signal: AbortSignal): Promise<void> {
    const logsOf = Map.groupBy(range.found, (log) => (log.kind === 'fill' ? log.swapper : log.owner));
    let spent: Spent[] = [];
    for await (const record of ordersOfSwappers(this.#deps.watch, logsOf.keys())) {
      const terms = termsOf(record);
      const log = spendingLog(terms, logsOf.get(terms.swapper.toLowerCase())!);
      if (log !== undefined) spent.push({ record, terms, log });
      if (spent.length < SETTLED_AT_ONCE) continue;
      await this.#settleSpent(spent, range, signal);
      spent = [];
    }
    await this.#settleSpent(spent, range, signal);
  }

  async #settleSpent(spent: readonly Spent[], { found, to }: Range, signal: AbortSignal): Promise<void> {
    const heights = spent.flatMap(({ log: { block } }) => [block - 1, block]);
    const blocks = await this.#deps.nonces.blocks(heights, signal);
    const unspent = await this.#unspentBefore(
      spent.filter(({ log }) => log.kind === 'invalidation'),
      blocks,
      signal,
    );
    // Permit2 logs an invalidation even of a nonce that is already spent, before the walk began or by another application. A
    // log between the ends of a range may be of another branch. The next look at such an order finds its end from state.
    const ended = spent.filter(
      (one) =>
        one.log.blockHash === blocks.get(one.log.block)!.hash &&
        (one.log.kind === 'fill' || unspent.has(one)),
    );
    const logsOf = Map.groupBy(found, ({ block }) => block);
    await forEachAtOnce(ended, async ({ record, terms, log }) => {
      const block = blocks.get(log.block)!;
      const clearUntil = blocks.get(log.block - 1)!.timestamp;
      const ending = endingOf(terms, block, {
        ...{ isSet: true, block, clearUntil },
        logs: logsOf.get(log.block)!,
      });
      await this.#settle(record, ending, { knownAt: to, signal });
    });
  }

  /** Those whose nonce was still clear in the block before. Leaves out blocks whose state no node has any more. */
  async #unspentBefore(
    spent: readonly Spent[],
    blocks: ReadonlyMap<number, Block>,
    signal: AbortSignal,
  ): Promise<ReadonlySet<Spent>> {
    const unspent = new Set<Spent>();
    for (const [number, those] of Map.groupBy(spent, ({ log }) => log.block)) {
      const terms = those.map((one) => one.terms);
      try {
        const bits = await this.#deps.nonces.areSet(blocks.get(number - 1)!, terms, signal);
        for (const [at, one] of those.entries()) if (!bits[at]) unspent.add(one);
      } catch (error) {
        if (!(error instanceof NodeError) || error.kind !== 'missing-state') throw error;
      }
    }
    return unspent;
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
    await this.#search(spent.slice(0, SEARCHES_AT_ONCE), finalized, signal);
  }

  /** Finds the blocks that spent the nonces of orders, and settles each order once its block is known. */
  async #search(
    spent: readonly WatchedOrder[],
    finalized: FinalizedBlock,
    signal: AbortSignal,
  ): Promise<void> {
    const searches = spent.map(({ record, clearAt }) => ({ order: termsOf(record), clearAt }));
    for await (const { at, bit } of this.#deps.nonces.whenSet(searches, finalized, signal)) {
      const { record } = spent[at]!;
      if (bit === undefined) await this.#leaveOpen(record.id, finalized);
      else {
        const ending = endingOf(searches[at]!.order, finalized, bit);
        await this.#settle(record, ending, { knownAt: finalized.number, signal });
      }
    }
  }

  /** Stores why an order stays open although its nonce is spent; it is looked at again later. */
  async #leaveOpen(id: string, { number, timestamp }: FinalizedBlock): Promise<void> {
    const { orders, watch, clock, logger } = this.#deps;
    logger.warn({ order: id }, 'no node has the state from before the nonce of an order was spent');
    await orders.settle(id, { status: 'open', reason: UNKNOWN_END, knownAt: number }, clock.now());
    await watch.postpone(id, timestamp + LOOK_AGAIN_SECONDS);
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
