import { cancelledEnd, expiredEnd, filledEnd, seenFill } from '@hindsight/events/orders-settled.ts';
import { z } from 'zod';
import { toEventData } from '../domain/order-event.ts';
import type { OrderState } from '../domain/order-state.ts';
import type { StoredOrder } from '../ports.ts';
import { orderEvent } from './order-event.ts';

const orderState = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('open'),
      fill: z
        .object({ finalized: z.literal(false), ...seenFill.shape })
        .optional()
        .meta({ description: 'Its fill in a block that is not final: a reorganisation can take it back' }),
      takenBack: seenFill
        .optional()
        .meta({ description: 'Its last fill that a reorganisation has taken back' }),
      reason: z.string().optional().meta({
        description:
          'Why its end is not known although its nonce is used: no node has the state from before it was used',
      }),
      knownAt: z.int().min(0).optional().meta({
        description: 'With `reason`: the finalized block at which the nonce was found to be used',
      }),
    }),
    z.object({ status: z.literal('filled'), ...filledEnd.shape }),
    z.object({ status: z.literal('cancelled'), ...cancelledEnd.shape }),
    z.object({ status: z.literal('expired'), ...expiredEnd.shape }),
  ])
  .meta({
    description: 'How the order stands; `open` until a finalized block shows its end',
  }) satisfies z.ZodType<OrderState>;

/** An order as it was received and decoded, and its state. */
export const orderRecord = orderEvent.extend({ state: orderState });

/** The order in an answer: its project stays between that project and the operator. */
export function toRecord({ record, state }: StoredOrder): z.input<typeof orderRecord> {
  const { projectId: _, ...order } = toEventData(record);
  return { ...order, state };
}
