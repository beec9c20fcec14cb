/** An order as received, and as decoded. */

/** The accepted order types. Dutch and Limit share one encoding. */
export const ORDER_TYPES = ['Dutch', 'Limit', 'Dutch_V2', 'Dutch_V3', 'Priority'] as const;

/** The name of an order type, as the protocol's own API writes it. */
export type OrderType = (typeof ORDER_TYPES)[number];

/** The webhook's validated body; hexadecimal is lower-cased, `createdAt` is ISO 8601 UTC. */
export interface OrderPayload {
  readonly orderHash: string;
  readonly createdAt: string;
  readonly signature: string;
  readonly orderStatus: 'open';
  readonly encodedOrder: string;
  readonly chainId: number;
  readonly filler?: string | undefined;
  readonly quoteId?: string | undefined;
  readonly offerer?: string | undefined;
  readonly type?: string | undefined;
}

/** A number of any size, as a decimal string. */
type Decimal = string;

/** A piecewise linear change of an amount, by blocks since the decay began (UniswapX, `NonlinearDutchDecay`). */
interface Curve {
  readonly relativeBlocks: readonly number[];
  /** Signed. */
  readonly relativeAmounts: readonly Decimal[];
}

/** The token sold, or one token bought; its fields depend on the order's type. */
export interface OrderAmount {
  readonly token: string;
  /** Of outputs: who gets it. */
  readonly recipient?: string;
  /** Dutch, Limit, Dutch_V2, Dutch_V3. */
  readonly startAmount?: Decimal;
  /** Dutch, Limit, Dutch_V2. */
  readonly endAmount?: Decimal;
  /** Dutch_V3's input. */
  readonly maxAmount?: Decimal;
  /** Dutch_V3's outputs. */
  readonly minAmount?: Decimal;
  readonly curve?: Curve;
  readonly adjustmentPerGweiBaseFee?: Decimal;
  /** Priority. */
  readonly amount?: Decimal;
  readonly mpsPerPriorityFeeWei?: Decimal;
}

/** An order decoded. Addresses are EIP-55. */
export interface DecodedOrder {
  readonly type: OrderType;
  readonly reactor: string;
  readonly swapper: string;
  readonly nonce: Decimal;
  /** Unix seconds. */
  readonly deadline: number;
  readonly additionalValidationContract: string;
  readonly additionalValidationData: string;
  readonly input: OrderAmount;
  readonly outputs: readonly OrderAmount[];
  /** Exclusive filler; null if everyone may fill it. */
  readonly filler: string | null;
  readonly cosigner: string | null;
  /** Other terms, by the type: times and curves of the amounts, and the cosigner's values. */
  readonly auction: Readonly<Record<string, Decimal | readonly Decimal[]>>;
}
