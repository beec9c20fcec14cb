import type { CodeOf } from '@hindsight/kernel/error-codes.ts';
import { ApiError } from '@hindsight/kernel/errors.ts';

const CODES = {
  chain: 'order_wrong_chain',
  reactor: 'order_wrong_reactor',
  type: 'order_wrong_type',
  encoding: 'order_malformed',
  'order-hash': 'order_wrong_hash',
  offerer: 'order_field_mismatch',
  filler: 'order_field_mismatch',
  deadline: 'order_expired',
  swapper: 'order_malformed',
  signature: 'order_wrong_signature',
  'contract-signature': 'order_wrong_signature',
  cosignature: 'order_wrong_cosignature',
} as const satisfies Record<string, CodeOf<422>>;

/** The failed check: the label of a metric, so its values are few and lasting. */
export type RefusalReason = keyof typeof CODES;

export const ORDER_CODES: readonly CodeOf<422>[] = [...new Set(Object.values(CODES))];

/**
 * 422: the order is well-formed, but one of its values is wrong. The message names the field and the
 * expectation.
 */
export class RefusedOrder extends ApiError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(CODES[reason], message);
    this.reason = reason;
  }
}
