import { ApiError } from '@hindsight/kernel/errors.ts';

/** Which check an order failed: the label of a metric, so its values are few and lasting. */
export type RefusalReason =
  | 'chain'
  | 'reactor'
  | 'type'
  | 'encoding'
  | 'order-hash'
  | 'offerer'
  | 'filler'
  | 'deadline'
  | 'swapper'
  | 'signature'
  | 'contract-signature'
  | 'cosignature';

/** 422: the order is well-formed, but what it says is not right. The message names the field and what was expected. */
export class RefusedOrder extends ApiError {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(422, message);
    this.reason = reason;
  }
}
