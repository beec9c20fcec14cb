import type { OrderRecord } from './order-event.ts';
import type { OrderState } from './order-state.ts';

export type EndState = Exclude<OrderState, { readonly status: 'open' }>;

export interface OrderEnd {
  readonly record: OrderRecord;
  readonly state: EndState;
  /** Time at which it was decided, Unix milliseconds. */
  readonly at: number;
}

/** The type of the event that tells an end. */
export function endType({ status }: EndState): `order-${EndState['status']}` {
  return `order-${status}`;
}

/** Fields of the event that tells an end. */
export function toEndData({ record, state }: OrderEnd) {
  const { network, projectId, payload, order } = record;
  const { status: _, ...end } = state;
  return {
    chainId: payload.chainId,
    network,
    orderHash: payload.orderHash,
    projectId,
    type: order.type,
    swapper: order.swapper,
    deadline: order.deadline,
    ...end,
  };
}
