/**
 * Records fills before they are final, and takes back those that a reorganisation removes. A block is read once, as long as it
 * links to those read before; otherwise all blocks that are not final are read again. Fills of no known order are kept until they
 * are final, because an order may be received after its fill. The number of requests does not grow with that of open orders.
 */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { readInParts } from '@hindsight/chain/logs/read-in-parts.ts';
import type { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { SeenFill } from '@hindsight/events/orders-settled.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { isFillOf } from '../domain/ending.ts';
import { termsOf, toSeenFill } from '../domain/ended-state.ts';
import type { FillLog } from '../domain/order-logs.ts';
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

/** Fills in blocks that are not final. */
interface Fills {
  /** Those of open orders, by the orders' ids. */
  readonly seen: ReadonlyMap<string, SeenFill>;
  readonly ofUnknown: readonly FillLog[];
}

const NO_FILLS: Fills = { seen: new Map(), ofUnknown: [] };

/** Follows the blocks of a network that are not final. */
export class HeadFills {
  readonly #deps: HeadFillsDeps;
  /** The last block that was read, and the fills up to it. */
  #read: { readonly end: End; readonly fills: Fills } | null = null;

  constructor(deps: HeadFillsDeps) {
    this.#deps = deps;
  }

  /** @param finalized the last finalized block; the ends that it shows are written */
  async look(finalized: FinalizedBlock, signal: AbortSignal): Promise<void> {
    const head = await this.#deps.blocks.head(signal);
    if (head === null) return;
    const known = this.#read !== null && this.#read.end.number >= finalized.number ? this.#read : null;
    // A node that lags behind the others says nothing about a reorganisation.
    if (head.number < (known?.end ?? finalized).number) return;
    if (head.hash === known?.end.hash) return;
    const found =
      (known && (await this.#fillsBetween(known.end, head, fillsAbove(finalized, known.fills), signal))) ??
      (await this.#fillsBetween(finalized, head, NO_FILLS, signal));
    if (found === null)
      throw new NodeError('unknown-block', 'the chain was reorganised while its last blocks were read');
    await this.#record(found);
    this.#read = { end: head, fills: found };
  }

  /** The fills up to the head; null if it does not descend from a block. @param kept those up to that block */
  async #fillsBetween(base: End, head: End, kept: Fills, signal: AbortSignal): Promise<Fills | null> {
    const { blocks, sizer } = this.#deps;
    const fills = [...kept.ofUnknown];
    let end = base;
    while (end.number < head.number) {
      const range = { from: end.number + 1, to: Math.min(head.number, end.number + sizer.size) };
      for (const reading of await readInParts(range, sizer, (part) => blocks.read(part, signal))) {
        if (reading.parentHash !== end.hash) return null;
        for (const log of reading.found) if (log.kind === 'fill') fills.push(log);
        end = { number: reading.to, hash: reading.hash };
      }
    }
    if (end.hash !== head.hash) return null;
    const added = await this.#ofOrders(fills);
    const ofKnown = new Set(added.values());
    if (!(await this.#areCanonical(ofKnown, signal))) return null;
    return {
      seen: new Map([...kept.seen, ...[...added].map(([id, fill]) => [id, toSeenFill(fill)] as const)]),
      ofUnknown: fills.filter((fill) => !ofKnown.has(fill)),
    };
  }

  /** Those of open orders, by the orders' ids. */
  async #ofOrders(fills: readonly FillLog[]): Promise<ReadonlyMap<string, FillLog>> {
    const found = new Map<string, FillLog>();
    const byHash = Map.groupBy(fills, ({ orderHash }) => orderHash);
    const swappers = fills.map(({ swapper }) => swapper);
    for await (const record of ordersOfSwappers(this.#deps.watch, swappers)) {
      const terms = termsOf(record);
      const fill = byHash.get(terms.orderHash)?.find((log) => isFillOf(terms, log));
      if (fill !== undefined) found.set(record.id, fill);
    }
    return found;
  }

  /** A range is known to be canonical by its first and last block: logs in between may be of another branch. */
  async #areCanonical(fills: Iterable<FillLog>, signal: AbortSignal): Promise<boolean> {
    const hashes = new Map([...fills].map(({ block, blockHash }) => [block, blockHash]));
    for (const [block, hash] of hashes)
      if ((await this.#deps.blocks.hashAt(block, signal)) !== hash) return false;
    return true;
  }

  /** Writes the fills that were seen, and takes back those that are stored and were not seen. */
  async #record({ seen }: Fills): Promise<void> {
    const { watch, orders, clock } = this.#deps;
    const stored = new Map((await watch.seenFilled()).map(({ id, fill }) => [id, fill]));
    for (const [id, fill] of seen)
      if (stored.get(id)?.blockHash !== fill.blockHash)
        await orders.settle(id, { status: 'open', fill: { ...fill, finalized: false } }, clock.now());
    for (const [id, { filler, transaction, block, blockHash }] of stored) {
      if (seen.has(id)) continue;
      await orders.settle(
        id,
        { status: 'open', takenBack: { filler, transaction, block, blockHash } },
        clock.now(),
      );
    }
  }
}

function fillsAbove({ number }: End, { seen, ofUnknown }: Fills): Fills {
  return {
    seen: new Map([...seen].filter(([, { block }]) => block > number)),
    ofUnknown: ofUnknown.filter(({ block }) => block > number),
  };
}
