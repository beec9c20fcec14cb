import { orderReceivedData } from '@hindsight/events/orders-received.ts';

/** The data of an event of the stream: that of the topic's, without the project. */
export const orderEvent = orderReceivedData.omit({ projectId: true });
