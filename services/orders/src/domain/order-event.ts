import type { DecodedOrder, OrderPayload } from './order.ts';

/** An accepted order. */
export interface OrderRecord {
  /** `chainId:orderHash`. */
  readonly id: string;
  readonly network: string;
  readonly projectId: string;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The trace of the request that brought it, where that was traced. */
  readonly traceparent?: string;
  readonly payload: OrderPayload;
  readonly order: DecodedOrder;
}

/** Orders may be signed for decades ahead, in any number: none is remembered for longer than this. */
const MAX_REMEMBERED_SECONDS = 365 * 86_400;

/**
 * Until when an order is remembered, as a duplicate or as pending: until its deadline, for a year at most.
 * @returns Unix seconds
 */
export function rememberedUntil({ receivedAt, order }: Pick<OrderRecord, 'receivedAt' | 'order'>): number {
  return Math.min(order.deadline, Math.floor(receivedAt / 1000) + MAX_REMEMBERED_SECONDS);
}

/** What an `order-received` event says of an order. */
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
