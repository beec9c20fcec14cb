import type { Bus } from '@hindsight/bus/port.ts';
import type { OrderReceived } from '@hindsight/events/orders-received.ts';
import type { BusEvent } from '@hindsight/events/topic.ts';
import { toEventData, type OrderRecord } from '../domain/order-event.ts';
import type { BatchEntry, OrderPublisher } from '../ports.ts';

const TOPIC = 'orders.received';
const UNVERIFIED = { producer: 'orders', type: 'order-unproven' };
/** A separate source: dead-lettered orders are not counted. The word is part of the released event. */
const UNVERIFIED_SOURCE = '/orders/unproven';

/** Publishes to the bus. */
export function createBusPublisher(bus: Pick<Bus, 'publish' | 'publishDeadLetter'>): OrderPublisher {
  return {
    publish: ({ source, entries }) =>
      bus.publish(
        TOPIC,
        entries.map((entry) => toEvent(source, entry)),
      ),
    publishDeadLetter: (record, reason) =>
      bus.publishDeadLetter(
        TOPIC,
        { ...attributes(record), source: UNVERIFIED_SOURCE },
        { ...UNVERIFIED, reason },
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
