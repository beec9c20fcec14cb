/**
 * Records fills before they are final, and takes back those that a reorganisation removes. A block is read once, as long as it
 * links to those read before; otherwise all blocks that are not final are read again. The number of requests does not grow with
 * that of open orders.
 */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { readInParts } from '@hindsight/chain/logs/read-in-parts.ts';
import type { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { isFillOf } from '../domain/ending.ts';
import { termsOf, toSeenFill } from '../domain/ended-state.ts';
import type { FillLog } from '../domain/order-logs.ts';
import type { SeenFill } from '../domain/order-state.ts';
import type { HeadReader, OrderStore, OrderWatch } from '../ports.ts';
import { ordersOfSwappers } from './orders-of-swappers.ts';

export interface HeadFillsDeps {
  readonly watch: Pick<OrderWatch, 'ofSwappers' | 'seenFilled'>;
  readonly orders: Pick<OrderStore, 'settle'>;
  readonly blocks: HeadReader;
  readonly sizer: RangeSizer;
  readonly clock: Clock;
}

type End = Pick<Position, 'number' | 'hash'>;

/** Follows the blocks of a network that are not final. */
export class HeadFills {
  readonly #deps: HeadFillsDeps;
  /** The last block that was read. */
  #end: End | null = null;

  constructor(deps: HeadFillsDeps) {
    this.#deps = deps;
  }

  /** @param finalized the last finalized block; the ends that it shows are written */
  async look(finalized: FinalizedBlock, signal: AbortSignal): Promise<void> {
    const head = await this.#deps.blocks.head(signal);
    if (head === null) return;
    const known = this.#end !== null && this.#end.number >= finalized.number ? this.#end : null;
    // A node that lags behind the others says nothing about a reorganisation.
    if (head.number < (known ?? finalized).number) return;
    if (head.hash === known?.hash) return;
    const added = known && (await this.#fillsBetween(known, head, signal));
    const seen = added ?? (await this.#fillsBetween(finalized, head, signal));
    if (seen === null)
      throw new NodeError('unknown-block', 'the chain was reorganised while its last blocks were read');
    await this.#record(seen, added && known ? known.number : 0);
    this.#end = head;
  }

  /** The fills of open orders above a block and up to the head, by the orders' ids; null if the head does not descend from it. */
  async #fillsBetween(
    base: End,
    head: End,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, SeenFill> | null> {
    const { blocks, sizer } = this.#deps;
    const fills: FillLog[] = [];
    let end = base;
    while (end.number < head.number) {
      const range = { from: end.number + 1, to: Math.min(head.number, end.number + sizer.size) };
      for (const reading of await readInParts(range, sizer, (part) => blocks.read(part, signal))) {
        if (reading.parentHash !== end.hash) return null;
        fills.push(...reading.found.filter((log) => log.kind === 'fill'));
        end = { number: reading.to, hash: reading.hash };
      }
    }
    if (end.hash !== head.hash) return null;
    const seen = await this.#ofOrders(fills);
    return (await this.#areCanonical(seen.values(), signal)) ? seen : null;
  }

  async #ofOrders(fills: readonly FillLog[]): Promise<ReadonlyMap<string, SeenFill>> {
    const seen = new Map<string, SeenFill>();
    const swappers = fills.map(({ swapper }) => swapper);
    for await (const record of ordersOfSwappers(this.#deps.watch, swappers)) {
      const terms = termsOf(record);
      const fill = fills.find((log) => isFillOf(terms, log));
      if (fill !== undefined) seen.set(record.id, toSeenFill(fill));
    }
    return seen;
  }

  /** A range is known to be canonical by its first and last block: logs in between may be of another branch. */
  async #areCanonical(fills: Iterable<SeenFill>, signal: AbortSignal): Promise<boolean> {
    const hashes = new Map([...fills].map(({ block, blockHash }) => [block, blockHash]));
    for (const [block, hash] of hashes)
      if ((await this.#deps.blocks.hashAt(block, signal)) !== hash) return false;
    return true;
  }

  /**
   * Writes the fills that were seen, and takes back those that are stored and were not seen again.
   * @param readAbove blocks up to this one were not read again; 0 if all that are not final were
   */
  async #record(seen: ReadonlyMap<string, SeenFill>, readAbove: number): Promise<void> {
    const { watch, orders, clock } = this.#deps;
    const stored = await watch.seenFilled();
    for (const [id, fill] of seen)
      await orders.settle(id, { status: 'open', fill: { ...fill, finalized: false } }, clock.now());
    for (const { id, fill } of stored) {
      if (fill.block <= readAbove || seen.has(id)) continue;
      const { filler, transaction, block, blockHash } = fill;
      await orders.settle(
        id,
        { status: 'open', takenBack: { filler, transaction, block, blockHash } },
        clock.now(),
      );
    }
  }
}
