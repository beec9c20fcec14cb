/** The state of an order on its chain: open, or how it ended. */
import type { CancelledEnd, ExpiredEnd, FilledEnd, SeenFill } from '@hindsight/events/orders-settled.ts';

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

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

export type PaidAmounts = NonNullable<FilledEnd['amounts']>;

export type OrderState =
  | OpenState
  | ({ readonly status: 'filled' } & FilledEnd)
  | ({ readonly status: 'cancelled' } & CancelledEnd)
  | ({ readonly status: 'expired' } & ExpiredEnd);

export const OPEN: OpenState = { status: 'open' };

/** The time of the next look at an order that has ended. */
export const NEVER = Number.MAX_SAFE_INTEGER;
