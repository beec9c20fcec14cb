import type { DecodedOrder, OrderPayload } from './order.ts';

export interface OrderRecord {
  /** `chainId:orderHash`. */
  readonly id: string;
  readonly network: string;
  readonly projectId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The trace of the request that brought it, if it was traced. */
  readonly traceparent?: string;
  readonly payload: OrderPayload;
  readonly order: DecodedOrder;
}

/** Orders may be signed for decades ahead, in any number: none is kept for longer than this. */
const MAX_REMEMBERED_SECONDS = 365 * 86_400;

/**
 * End of an order's retention, as a duplicate or as pending: its deadline, or a year from now if that is
 * earlier.
 * @returns Unix seconds
 */
export function rememberedUntil({ receivedAt, order }: Pick<OrderRecord, 'receivedAt' | 'order'>): number {
  return Math.min(order.deadline, Math.floor(receivedAt / 1000) + MAX_REMEMBERED_SECONDS);
}

/** An order's fields in an `order-received` event. */
export function toEventData({ network, projectId, receivedAt, payload, order }: OrderRecord) {
  const { chainId, orderHash } = payload;
  return {
    chainId,
    network,
    orderHash,
    projectId,
    receivedAt: new Date(receivedAt).toISOString(),
    payload,
    order,
  };
}
