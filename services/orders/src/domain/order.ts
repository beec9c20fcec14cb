/** An order as received, and as decoded: the same in records and in events. */
import type { OrderReceived } from '@hindsight/events/orders-received.ts';

/** The accepted order types. Dutch and Limit share one encoding. */
export const ORDER_TYPES = ['Dutch', 'Limit', 'Dutch_V2', 'Dutch_V3', 'Priority'] as const;

/** The name of an order type, as the protocol's own API writes it. */
export type OrderType = (typeof ORDER_TYPES)[number];

/** The webhook's validated body. */
export type OrderPayload = OrderReceived['payload'];

export type DecodedOrder = OrderReceived['order'] & { readonly type: OrderType };

/** The token sold, or one token bought; its fields depend on the order's type. */
export type OrderAmount = DecodedOrder['input'];
