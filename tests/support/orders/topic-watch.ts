/** Reads `orders.received` as a consumer does. */
import { createKafkaBus } from '@hindsight/shared/bus/kafka.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { ordersReceived } from '@hindsight/shared/events/orders-received.ts';
import { createLogger } from '@hindsight/shared/logger.ts';

/** What has been on the topic since the watch began. */
export interface TopicWatch {
  /** Each writing of an event, by its id: the lane's source and the place in it. A repetition has the same. */
  readonly written: ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

/** Begins to watch, from the beginning of the topic. */
export async function watchTopic(brokers: readonly string[], group: string): Promise<TopicWatch> {
  const logger = createLogger({ name: 'watch', level: 'silent' });
  const topics = { 'orders.received': ordersReceived };
  const bus = createKafkaBus({ topics, brokers, logger, clock: systemClock });
  const seen = new Set<string>();
  const written = new Map<string, string[]>();
  await bus.subscribe({ group, topics: ['orders.received'] }, async (events) => {
    for (const { id, source, sequence, partition, offset } of events) {
      // The log's own redelivery to us is no second writing.
      const position = `${partition}-${offset}`;
      if (seen.has(position)) continue;
      seen.add(position);
      written.set(id, [...(written.get(id) ?? []), `${source} ${sequence}`]);
    }
  });
  return { written, close: () => bus.close() };
}
