/** Lists of orders: filters, and the place in a list. */
import type { OrderStatus } from './order-state.ts';
import type { OrderType } from './order.ts';

/** Filter of a list: an order has all values that are given. */
export interface OrderFilter {
  readonly network: string;
  readonly status?: OrderStatus | undefined;
  readonly type?: OrderType | undefined;
  /** EIP-55. */
  readonly swapper?: string | undefined;
  /** Who has filled it; EIP-55. */
  readonly filler?: string | undefined;
  /** The project whose key brought it. */
  readonly projectId?: string | undefined;
}

/** The place of an order in a list, which is newest first: what is inserted later moves no place. */
export interface OrderPlace {
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** `chainId:orderHash`. */
  readonly id: string;
}
