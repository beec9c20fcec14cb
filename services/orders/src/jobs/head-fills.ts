/**
 * Tells fills before they are final, and takes back what a reorganisation takes back. A block is read once, while it links to
 * those read before; else all blocks that are not final are read again. The requests do not grow with the open orders.
 */
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { readInParts } from '@hindsight/chain/logs/read-in-parts.ts';
import type { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import { isFillOf } from '../domain/ending.ts';
import { termsOf, toSeenFill } from '../domain/ended-state.ts';
import type { FillLog } from '../domain/order-logs.ts';
import type { SeenFill } from '../domain/order-state.ts';
import type { HeadReader, OrderStore, OrderWatch } from '../ports.ts';

export interface HeadFillsDeps {
  readonly watch: Pick<OrderWatch, 'ofSwappers' | 'seenFilled'>;
  readonly orders: Pick<OrderStore, 'settle'>;
  readonly blocks: HeadReader;
  readonly sizer: RangeSizer;
}

type End = Pick<Position, 'number' | 'hash'>;

/** Swappers in one query of the store. */
const SWAPPERS_AT_ONCE = 500;

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
    // A node that is behind the others, which shows nothing of a reorganisation.
    if (head.number < (known ?? finalized).number) return;
    const isRead = known !== null && (await this.#readBehind(known, head, signal));
    if (!isRead && !(await this.#readBehind(finalized, head, signal, true)))
      throw new NodeError('unknown-block', 'the chain was reorganised while its last blocks were read');
    this.#end = head;
  }

  /** False if the blocks do not follow that one. @param isAnew also those below are read, and no fill is in them */
  async #readBehind(base: End, head: End, signal: AbortSignal, isAnew = false): Promise<boolean> {
    const fills: FillLog[] = [];
    let end = base;
    while (end.number < head.number) {
      const from = end.number + 1;
      const { blocks, sizer } = this.#deps;
      const to = Math.min(head.number, end.number + sizer.size);
      for (const reading of await readInParts({ from, to }, sizer, (part) => blocks.read(part, signal))) {
        if (reading.parentHash !== end.hash) return false;
        fills.push(...reading.found.filter((log) => log.kind === 'fill'));
        end = { number: reading.to, hash: reading.hash };
      }
    }
    if (end.hash !== head.hash) return false;
    const seen = await this.#ofOrders(fills);
    if (!(await this.#areCanonical(seen.values(), signal))) return false;
    await this.#tell(seen, isAnew ? -1 : base.number);
    return true;
  }

  /** The fills of open orders, by the orders' ids. */
  async #ofOrders(fills: readonly FillLog[]): Promise<ReadonlyMap<string, SeenFill>> {
    const seen = new Map<string, SeenFill>();
    const swappers = [...new Set(fills.map(({ swapper }) => swapper))];
    for (let at = 0; at < swappers.length; at += SWAPPERS_AT_ONCE) {
      const open = await this.#deps.watch.ofSwappers(swappers.slice(at, at + SWAPPERS_AT_ONCE));
      for (const { record } of open) {
        const terms = termsOf(record);
        const fill = fills.find((log) => isFillOf(terms, log));
        if (fill !== undefined) seen.set(record.id, toSeenFill(fill));
      }
    }
    return seen;
  }

  /** Logs amid a range may be of another chain than its ends. */
  async #areCanonical(fills: Iterable<SeenFill>, signal: AbortSignal): Promise<boolean> {
    const hashes = new Map([...fills].map(({ block, blockHash }) => [block, blockHash]));
    for (const [block, hash] of hashes)
      if ((await this.#deps.blocks.hashAt(block, signal)) !== hash) return false;
    return true;
  }

  /** @param base fills above this block that are not seen any more were taken back */
  async #tell(seen: ReadonlyMap<string, SeenFill>, base: number): Promise<void> {
    const { watch, orders } = this.#deps;
    const told = await watch.seenFilled();
    for (const [id, fill] of seen)
      await orders.settle(id, { status: 'open', fill: { ...fill, finalized: false } });
    for (const { id, fill } of told) {
      if (fill.block <= base || seen.has(id)) continue;
      const { filler, transaction, block, blockHash } = fill;
      await orders.settle(id, { status: 'open', takenBack: { filler, transaction, block, blockHash } });
    }
  }
}
