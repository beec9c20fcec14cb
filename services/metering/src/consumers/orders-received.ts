import type { Handler, ReceivedEvent } from '@hindsight/bus/port.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Topics } from '@hindsight/events/topics.ts';
import type { UsageCounters } from '@hindsight/usage/ports.ts';
import { createHash } from 'node:crypto';
import { Count } from './count.ts';

type Event = ReceivedEvent<Topics['orders.received']>;

/** Counts each order once, for its project, in the month in which it was received. */
export function countOrders(usage: UsageCounters, clock: Clock): Handler<Event> {
  return async (events) => {
    const count = new Count<Event>(usage, clock.now());
    for (const event of events) {
      const { source, topic, partition, data } = event;
      const day = data.receivedAt.slice(0, 10);
      const producer = producerOf(`${topic}-${partition}|${source}`);
      const entry = { project: data.projectId, day, requests: 0, orders: 1 };
      count.add(event, producer, [entry]);
    }
    await count.apply();
    count.end();
  };
}

/** Sequences rise within a source's share of a partition; its name must be usable in any store's field names. */
function producerOf(name: string): string {
  return `orders-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
