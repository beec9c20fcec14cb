/** Lists of orders: filters, place in a list, and its cursor. */
import type { OrderStatus } from './order-state.ts';
import type { OrderType } from './order.ts';

/** Filter of a list: an order has all values that are given. */
export interface OrderFilter {
  readonly network: string;
  readonly status?: OrderStatus | undefined;
  readonly type?: OrderType | undefined;
  /** EIP-55. */
  readonly swapper?: string | undefined;
  /** The account that has filled it; EIP-55. */
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

/** The last order of a page. */
export interface OrderCursor extends OrderPlace {
  /** Of the question: a cursor continues no other. */
  readonly mark: string;
}

const CURSOR = /^(\d{1,15})\.(\d{1,15}:0x[0-9a-f]{64})\.([0-9a-f]{16})$/;

/** Longer than any. */
export const MAX_CURSOR = 200;

export function writeCursor({ receivedAt, id, mark }: OrderCursor): string {
  return Buffer.from([receivedAt, id, mark].join('.')).toString('base64url');
}

/** Reads a cursor; undefined where it is none. */
export function readCursor(text: string): OrderCursor | undefined {
  const [, receivedAt, id, mark] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (id === undefined || mark === undefined) return undefined;
  return { receivedAt: Number(receivedAt), id, mark };
}
