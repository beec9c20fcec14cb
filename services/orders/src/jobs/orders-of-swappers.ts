import type { OrderRecord } from '../domain/order-event.ts';
import type { OrderWatch } from '../ports.ts';

/** Swappers in one query of the store. */
const AT_ONCE = 500;

/** The published orders of swappers that have not ended. @param swappers lower case; each may be named several times */
export async function* ordersOfSwappers(
  watch: Pick<OrderWatch, 'ofSwappers'>,
  swappers: readonly string[],
): AsyncGenerator<OrderRecord, void> {
  const distinct = [...new Set(swappers)];
  for (let at = 0; at < distinct.length; at += AT_ONCE)
    for (const { record } of await watch.ofSwappers(distinct.slice(at, at + AT_ONCE))) yield record;
}
