/** The state of an order on its chain: open, or how it ended. */

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The cause of a cancellation: what spent the order's nonce. */
type CancelCause = 'invalidated' | 'sibling' | 'nonce-used-elsewhere';

/** An amount of a token in its smallest unit, as a decimal string. */
interface PaidAmount {
  /** EIP-55; the zero address is the chain's coin. */
  readonly token: string;
  readonly amount: string;
  /** Of outputs: who got it. */
  readonly recipient?: string | undefined;
}

/** Amounts that a fill has moved. */
export interface PaidAmounts {
  readonly input: PaidAmount;
  readonly outputs: readonly PaidAmount[];
}

/** A fill in a block that is not final. */
export interface SeenFill {
  /** EIP-55. */
  readonly filler: string;
  /** Hash, lower-cased. */
  readonly transaction: string;
  readonly block: number;
  readonly blockHash: string;
}

/** No finalized block shows its end. */
export interface OpenState {
  readonly status: 'open';
  /** Its fill in a block of the canonical chain that a reorganisation can still take back. */
  readonly fill?: (SeenFill & { readonly finalized: false }) | undefined;
  /** The last fill that a reorganisation took back. */
  readonly takenBack?: SeenFill | undefined;
  /** Reason why its end is not known, as of the finalized block `knownAt`. */
  readonly reason?: string | undefined;
  readonly knownAt?: number | undefined;
}

/** Common to all ends. */
interface Ended {
  /** No reorganisation can take it back. */
  readonly finalized: true;
  /** Number of the finalized block at which it was decided. */
  readonly knownAt: number;
}

/** A reactor has settled it. */
export interface FilledState extends Ended, SeenFill {
  readonly status: 'filled';
  /** null where the order's rule and the transfers disagree, or one of them could not be read. */
  readonly amounts: PaidAmounts | null;
  /** Reason why `amounts` is null. */
  readonly amountsReason?: string | undefined;
}

/** Its nonce was spent by something else. */
export interface CancelledState extends Ended {
  readonly status: 'cancelled';
  readonly cause: CancelCause;
  /** Block that spent the nonce. */
  readonly block?: number | undefined;
  /** Hash, lower-cased; of a nonce that was used elsewhere the block alone is known. */
  readonly transaction?: string | undefined;
  /** Hash of the other order that was filled. */
  readonly sibling?: string | undefined;
}

/** Its deadline has passed with its nonce unspent. */
export interface ExpiredState extends Ended {
  readonly status: 'expired';
  /** Number of a finalized block after the deadline. */
  readonly block: number;
}

export type OrderState = OpenState | FilledState | CancelledState | ExpiredState;

/** The state of an order that was accepted. */
export const OPEN: OpenState = { status: 'open' };

/** The time of the next look at an order that has ended. */
export const NEVER = Number.MAX_SAFE_INTEGER;
