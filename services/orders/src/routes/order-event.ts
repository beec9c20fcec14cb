import { orderReceivedData } from '@hindsight/events/orders-received.ts';
import { ordersSettled } from '@hindsight/events/orders-settled.ts';

/** The data of an event of the stream: that of the topic's, without the project. */
export const orderEvent = orderReceivedData.omit({ projectId: true });

const isPrivate = { projectId: true } as const;
const { events } = ordersSettled;

/** The data of the events that tell how an order ended. */
export const endEvents = [
  {
    name: 'OrderFilled',
    schema: events['order-filled'].omit(isPrivate).meta({
      description: 'The data of `order-filled`: who filled the order, and what was paid',
    }),
  },
  {
    name: 'OrderCancelled',
    schema: events['order-cancelled'].omit(isPrivate).meta({
      description: 'The data of `order-cancelled`: what used the nonce of the order',
    }),
  },
  {
    name: 'OrderExpired',
    schema: events['order-expired'].omit(isPrivate).meta({
      description: 'The data of `order-expired`: the deadline of the order has passed with its nonce unused',
    }),
  },
] as const;
