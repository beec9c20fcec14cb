import type { Bus } from '@hindsight/shared/bus/port.ts';
import type { OrderReceived } from '@hindsight/shared/events/orders-received.ts';
import type { BusEvent } from '@hindsight/shared/events/topic.ts';
import { toEventData, type OrderRecord } from '../domain/order-event.ts';
import type { BatchEntry, OrderPublisher } from '../ports.ts';

const TOPIC = 'orders.received';
const UNPROVEN = { producer: 'orders', type: 'order-unproven' };
/** Buried orders are in no lane: nothing counts them. */
const UNPROVEN_SOURCE = '/orders/unproven';

/** Publishes to the bus. */
export function createBusPublisher(bus: Pick<Bus, 'publish' | 'publishDeadLetter'>): OrderPublisher {
  return {
    publish: ({ source, entries }) =>
      bus.publish(
        TOPIC,
        entries.map((entry) => toEvent(source, entry)),
      ),
    bury: (record, reason) =>
      bus.publishDeadLetter(
        TOPIC,
        { ...attributes(record), source: UNPROVEN_SOURCE },
        { ...UNPROVEN, reason },
      ),
  };
}

function toEvent(
  source: string,
  { sequence, record }: BatchEntry,
): BusEvent<'order-received', OrderReceived> {
  return { ...attributes(record), source, sequence };
}

function attributes(record: OrderRecord) {
  return {
    type: 'order-received' as const,
    id: record.id,
    time: record.receivedAt,
    ...(record.traceparent === undefined ? {} : { traceparent: record.traceparent }),
    data: toEventData(record) as OrderReceived,
  };
}
