/**
 * The rule by which an order ends. A nonce is one bit of Permit2's bitmap, which is set once and never cleared: by a fill, by
 * the swapper, or by another use of Permit2. Reactors accept a block whose time equals the deadline.
 */
import { PERMIT2 } from '@hindsight/chain/tokens/permit2.ts';
import type { FillLog, OrderLog } from './order-logs.ts';
import { isReactor } from './reactors.ts';

/** An order as far as the rule needs it. */
export interface OrderTerms {
  readonly chainId: number;
  /** Lower case. */
  readonly orderHash: string;
  readonly reactor: string;
  readonly swapper: string;
  readonly nonce: bigint;
  /** Unix seconds; the last second at which it can be filled. */
  readonly deadline: number;
}

export interface FinalBlock {
  readonly number: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** State of the order's bit: clear by a finalized block, or set in an earlier one or that one. */
export type NonceBit =
  | { readonly isSet: false }
  | {
      readonly isSet: true;
      /** The block whose transactions set it. */
      readonly block: FinalBlock;
      /** Time of the block before it, by which the bit was still clear: Unix seconds. */
      readonly clearUntil: number;
      /** The events of that block, of any contract. */
      readonly logs: readonly OrderLog[];
    };

export type CancelCause =
  | { readonly kind: 'invalidated'; readonly transaction: string }
  /** Another order of the swapper had the same nonce, and was filled. */
  | { readonly kind: 'sibling'; readonly orderHash: string; readonly transaction: string }
  /** Another application of Permit2 used the nonce. */
  | { readonly kind: 'nonce-used-elsewhere'; readonly block: number };

export type Ending =
  | { readonly status: 'open' }
  | { readonly status: 'filled'; readonly fill: FillLog }
  /** `block`: one that is finalized, and later than the deadline, with the bit clear. */
  | { readonly status: 'expired'; readonly block: FinalBlock }
  | { readonly status: 'cancelled'; readonly cause: CancelCause; readonly block: FinalBlock };

/** True for the fill of that order: only the reactor that the order names can fill it, and anyone can emit the event. */
export function isFillOf({ orderHash, reactor }: OrderTerms, log: OrderLog): log is FillLog {
  return log.kind === 'fill' && log.orderHash === orderHash && log.address === reactor.toLowerCase();
}

/** True for the fill of another order with the same nonce, on any reactor that is known. */
export function isSiblingOf(
  { chainId, orderHash, swapper, nonce }: OrderTerms,
  log: OrderLog,
): log is FillLog {
  if (log.kind !== 'fill' || log.orderHash === orderHash) return false;
  const isSame = log.swapper === swapper.toLowerCase() && log.nonce === nonce;
  return isSame && isReactor(chainId, log.address);
}

/** True where Permit2 says that the swapper gave the nonce up. */
export function invalidates(log: OrderLog, { swapper, nonce }: OrderTerms): boolean {
  if (log.kind !== 'invalidation' || log.address !== PERMIT2.toLowerCase()) return false;
  const isInWord = log.owner === swapper.toLowerCase() && log.word === wordOfNonce(nonce);
  return isInWord && isBitSet(log.mask, nonce);
}

/** The word of Permit2's bitmap that has a nonce's bit. */
export function wordOfNonce(nonce: bigint): bigint {
  return nonce >> 8n;
}

export function isBitSet(word: bigint, nonce: bigint): boolean {
  return ((word >> (nonce & 0xffn)) & 1n) === 1n;
}

/**
 * The state of an order at a finalized block.
 * @param finalized the block by which the bit was read
 */
export function endingOf(order: OrderTerms, finalized: FinalBlock, bit: NonceBit): Ending {
  if (!bit.isSet) {
    return finalized.timestamp > order.deadline
      ? { status: 'expired', block: finalized }
      : { status: 'open' };
  }
  const { block, clearUntil, logs } = bit;
  const fill = logs.find((log) => isFillOf(order, log));
  if (fill !== undefined) return { status: 'filled', fill };
  // It had expired before the nonce was used.
  if (clearUntil > order.deadline) return { status: 'expired', block };
  return { status: 'cancelled', cause: causeOf(order, bit), block };
}

/** A fill before an invalidation: the fill succeeded, so it found the bit clear, in whichever order they are logged. */
function causeOf(order: OrderTerms, { block, logs }: NonceBit & { readonly isSet: true }): CancelCause {
  const sibling = logs.find((log) => isSiblingOf(order, log));
  if (sibling !== undefined)
    return { kind: 'sibling', orderHash: sibling.orderHash, transaction: sibling.transaction };
  const invalidation = logs.find((log) => invalidates(log, order));
  if (invalidation !== undefined) return { kind: 'invalidated', transaction: invalidation.transaction };
  return { kind: 'nonce-used-elsewhere', block: block.number };
}
