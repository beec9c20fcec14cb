import type { Handler, ReceivedEvent } from '@hindsight/shared/bus/port.ts';
import type { Clock } from '@hindsight/shared/clock.ts';
import type { Topics } from '@hindsight/shared/events/topics.ts';
import { byRecord, type CountedEvent } from '@hindsight/shared/usage/fold.ts';
import type { UsageCounters } from '@hindsight/shared/usage/ports.ts';
import { createHash } from 'node:crypto';
import { checkDay } from '../domain/late.ts';
import { counting } from './count.ts';

type Event = ReceivedEvent<Topics['orders.received']>;

/** Counts each order once, for its project, in the month in which it was received. */
export function countOrders(usage: UsageCounters, clock: Clock): Handler<Event> {
  return (events) =>
    counting(() => usage.apply(byRecord(events.map((event) => toCounted(event, clock.now())))));
}

function toCounted({ id, source, sequence, topic, partition, data }: Event, now: number): CountedEvent {
  if (sequence === undefined) throw new Error(`the event ${id} has no sequence`);
  const day = data.receivedAt.slice(0, 10);
  checkDay(day, now);
  const entry = { project: data.projectId, day, requests: 0, orders: 1 };
  return { lane: laneOf(`${topic}-${partition}|${source}`), sequence, entries: [entry] };
}

/** Sequences rise within a producer's part of a partition; its name must fit into any store's field names. */
function laneOf(name: string): string {
  return `orders-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}
