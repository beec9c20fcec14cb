import { partsOf } from '@hindsight/kernel/parts.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import type { OrderWatch } from '../ports.ts';

/** Swappers in one question to the store, and orders in memory: anyone may have signed any number of them. */
const AT_ONCE = 500;

/** The published orders of swappers that have not ended. @param swappers lower case; each may be named several times */
export async function* ordersOfSwappers(
  watch: Pick<OrderWatch, 'ofSwappers'>,
  swappers: Iterable<string>,
): AsyncGenerator<OrderRecord, void> {
  for (const some of partsOf([...new Set(swappers)], AT_ONCE))
    for await (const part of watch.ofSwappers(some, AT_ONCE)) {
      for (const { record } of part) yield record;
      await nextTurn();
    }
}
