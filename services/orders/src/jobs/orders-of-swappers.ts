import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import type { OrderWatch } from '../ports.ts';

/** Orders in memory at a time: anyone may have signed any number of them. */
const AT_ONCE = 500;

/** The published orders of swappers that have not ended. @param swappers lower case; each may be named several times */
export async function* ordersOfSwappers(
  watch: Pick<OrderWatch, 'ofSwapper'>,
  swappers: Iterable<string>,
): AsyncGenerator<OrderRecord, void> {
  for (const swapper of new Set(swappers))
    for await (const part of watch.ofSwapper(swapper, AT_ONCE)) {
      for (const { record } of part) yield record;
      await nextTurn();
    }
}
