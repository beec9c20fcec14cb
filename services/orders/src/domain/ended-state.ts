import { toChecksum } from '@hindsight/chain/address.ts';
import type { SeenFill } from '@hindsight/events/orders-settled.ts';
import type { CancelCause, Ending, OrderTerms } from './ending.ts';
import type { FillLog } from './order-logs.ts';
import { OPEN, type OrderState } from './order-state.ts';
import type { Paid } from './paid-amounts.ts';
import type { OrderRecord } from './order-event.ts';

/** The terms by which an order's end is decided. */
export function termsOf({ payload, order }: OrderRecord): OrderTerms {
  const { reactor, swapper, deadline } = order;
  const { chainId, orderHash } = payload;
  return { chainId, orderHash, reactor, swapper, nonce: BigInt(order.nonce), deadline };
}

const UNREAD: Paid = { amounts: null, amountsReason: 'not read' };

/**
 * An ending as it is stored.
 * @param knownAt height of the finalized block at which it was decided
 * @param paid what a fill has paid
 */
export function toState(ending: Ending, knownAt: number, paid: Paid = UNREAD): OrderState {
  const final = { finalized: true, knownAt } as const;
  switch (ending.status) {
    case 'open':
      return OPEN;
    case 'expired':
      return { status: 'expired', ...final, block: ending.block.number };
    case 'cancelled':
      return { status: 'cancelled', ...final, ...toCause(ending.cause), block: ending.block.number };
    case 'filled':
      return { status: 'filled', ...final, ...toSeenFill(ending.fill), ...paid };
  }
}

export function toSeenFill({ filler, transaction, block, blockHash }: FillLog): SeenFill {
  return { filler: toChecksum(filler), transaction, block, blockHash };
}

function toCause(cause: CancelCause) {
  if (cause.kind === 'nonce-used-elsewhere') return { cause: cause.kind };
  const { kind, transaction } = cause;
  return { cause: kind, transaction, ...(cause.kind === 'sibling' && { sibling: cause.orderHash }) };
}
