/** The orders service's answers about a project's orders, as far as pages show them. */
import { orderReceivedData } from '@hindsight/events/orders-received.ts';
import { cancelledEnd, filledEnd, seenFill } from '@hindsight/events/orders-settled.ts';
import { z } from 'zod';

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;

const { orderHash, receivedAt, order } = orderReceivedData.shape;
const fill = seenFill.omit({ blockHash: true });

/** An order as it was decoded, and its state: the API's fields, those of the other statuses undefined. */
export const shownOrder = z.object({
  ...{ orderHash, receivedAt },
  order: order.omit({ additionalValidationContract: true, additionalValidationData: true, auction: true }),
  state: z.object({
    status: z.enum(ORDER_STATUSES),
    /** False while a reorganisation can take it back. */
    finalized: z.boolean().optional(),
    /** Of an open order: its fill in a block that is not final, and the last one that a reorganisation took back. */
    fill: fill.optional(),
    takenBack: fill.optional(),
    ...filledEnd.omit({ finalized: true, knownAt: true, blockHash: true }).partial().shape,
    sibling: cancelledEnd.shape.sibling,
    cause: cancelledEnd.shape.cause.optional(),
  }),
});

/** A page of a project's orders, newest first, and the cursor of the next page. */
export const orderPage = z.object({ orders: z.array(shownOrder), next: z.string().nullable() });

export type OrderAmount = z.output<typeof order>['input'];
export type ShownOrder = z.output<typeof shownOrder>;
export type OrderStatus = ShownOrder['state']['status'];
export type OrderPage = z.output<typeof orderPage>;
