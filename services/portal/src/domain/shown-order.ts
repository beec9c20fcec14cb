/** An order as pages show it. */

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** A token with amounts in its smallest unit, by the type of the order. */
export interface OrderAmount {
  /** The zero address is the network's own coin. */
  readonly token: string;
  readonly recipient?: string | undefined;
  readonly amount?: string | undefined;
  readonly startAmount?: string | undefined;
  readonly endAmount?: string | undefined;
  readonly maxAmount?: string | undefined;
  readonly minAmount?: string | undefined;
}

/** A fill that is not final. */
export interface ShownFill {
  readonly filler: string;
  readonly transaction: string;
  readonly block: number;
}

/** The state of an order: the API's fields, those of the other statuses undefined. */
export interface ShownState {
  readonly status: OrderStatus;
  /** False while a reorganisation can take it back. */
  readonly finalized?: boolean | undefined;
  /** Of an open order: its fill in a block that is not final, and the last one that a reorganisation took back. */
  readonly fill?: ShownFill | undefined;
  readonly takenBack?: ShownFill | undefined;
  readonly filler?: string | undefined;
  readonly transaction?: string | undefined;
  readonly block?: number | undefined;
  readonly amounts?:
    | { readonly input: OrderAmount; readonly outputs: readonly OrderAmount[] }
    | null
    | undefined;
  readonly amountsReason?: string | undefined;
  readonly cause?: 'invalidated' | 'sibling' | 'nonce-used-elsewhere' | undefined;
  /** The hash of the other order. */
  readonly sibling?: string | undefined;
}

/** An order as it was decoded, and its state. */
export interface ShownOrder {
  readonly orderHash: string;
  readonly receivedAt: string;
  readonly order: {
    readonly type: string;
    readonly reactor: string;
    readonly swapper: string;
    readonly nonce: string;
    /** Unix seconds. */
    readonly deadline: number;
    readonly input: OrderAmount;
    readonly outputs: readonly OrderAmount[];
    readonly filler: string | null;
    readonly cosigner: string | null;
  };
  readonly state: ShownState;
}

/** A page of a project's orders, newest first. */
export interface OrderPage {
  readonly orders: readonly ShownOrder[];
  /** The cursor of the next page. */
  readonly next: string | null;
}

/** A question for a page of a list. */
export interface OrderQuestion {
  readonly network: string;
  readonly project: string;
  readonly status: OrderStatus | undefined;
  readonly cursor: string | undefined;
}
