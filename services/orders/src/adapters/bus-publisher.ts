import type { Bus } from '@hindsight/bus/port.ts';
import type { ordersSettled } from '@hindsight/events/orders-settled.ts';
import type { EventOf } from '@hindsight/events/topic.ts';
import { endType, toEndData } from '../domain/order-end.ts';
import { toEventData, type OrderRecord } from '../domain/order-event.ts';
import type { BatchEntry, OrderPublisher } from '../ports.ts';

const TOPIC = 'orders.received';
const ENDS = 'orders.settled';
const UNVERIFIED = { producer: 'orders', type: 'order-unproven' };
/** A separate source: dead-lettered orders are not counted. The word is part of the released event. */
const UNVERIFIED_SOURCE = '/orders/unproven';

export function createBusPublisher(bus: Pick<Bus, 'publish' | 'publishDeadLetter'>): OrderPublisher {
  return {
    async publish({ source, entries }) {
      const received = entries.filter(({ end }) => end === undefined);
      const events = received.map(({ sequence, record }) => ({ ...attributes(record), source, sequence }));
      if (events.length > 0) await bus.publish(TOPIC, events);
      const ends = entries.flatMap((entry) => (entry.end ? [toEndEvent(source, entry, entry.end)] : []));
      if (ends.length > 0) await bus.publish(ENDS, ends);
    },
    publishDeadLetter: (record, reason) =>
      bus.publishDeadLetter(
        TOPIC,
        { ...attributes(record), source: UNVERIFIED_SOURCE },
        { ...UNVERIFIED, reason },
      ),
  };
}

/** Its id is not the order's: both events are of one source. */
function toEndEvent(
  source: string,
  { sequence, record }: BatchEntry,
  { state, at }: NonNullable<BatchEntry['end']>,
): EventOf<typeof ordersSettled> {
  const type = endType(state);
  const data = toEndData({ record, state, at });
  return { type, id: `${record.id}:${state.status}`, source, sequence, time: at, data } as EventOf<
    typeof ordersSettled
  >;
}

function attributes(record: OrderRecord) {
  return {
    type: 'order-received' as const,
    id: record.id,
    time: record.receivedAt,
    ...(record.traceparent === undefined ? {} : { traceparent: record.traceparent }),
    data: toEventData(record),
  };
}
