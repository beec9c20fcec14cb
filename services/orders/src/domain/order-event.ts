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
