/** Reads `orders.received` as a consumer does. */
import { createKafkaClient } from '@hindsight/bus/kafka-client.ts';
import { createKafkaBus } from '@hindsight/bus/kafka.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { ordersReceived } from '@hindsight/events/orders-received.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type { Kafka } from 'kafkajs';

/** Events on the topic since the watch began. */
export interface TopicWatch {
  /** Each write of an event, by its id: source and sequence. A repetition has the same. */
  readonly written: ReadonlyMap<string, readonly string[]>;
  /** Resolves when all that is on the topic now has been read. @throws after ten minutes */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

interface Position {
  readonly partition: number;
  readonly offset: string;
}

const TOPIC = 'orders.received';

/** Begins to watch, from the beginning of the topic. */
export async function watchTopic(brokers: readonly string[], group: string): Promise<TopicWatch> {
  const logger = createLogger({ name: 'watch', level: 'silent' });
  const topics = { [TOPIC]: ordersReceived };
  const bus = createKafkaBus({ topics, brokers, logger, clock: systemClock });
  const seen = new Set<string>();
  const written = new Map<string, string[]>();
  const client = createKafkaClient(brokers, logger);
  await bus.subscribe({ group, topics: [TOPIC] }, async (events) => {
    for (const { id, source, sequence, partition, offset } of events) {
      // A redelivery by the log is not a second write.
      const position = `${partition}-${offset}`;
      if (seen.has(position)) continue;
      seen.add(position);
      written.set(id, [...(written.get(id) ?? []), `${source} ${sequence}`]);
    }
  });
  // Partitions are read in any order: the last event may be read before others.
  const isRead = ({ partition, offset }: Position): boolean =>
    offset === '0' || seen.has(`${partition}-${BigInt(offset) - 1n}`);
  return {
    written,
    async caughtUp() {
      const ends = await endsOf(client);
      await until('all of the topic is read', () => ends.every(isRead));
    },
    close: () => bus.close(),
  };
}

/** The offset that the next event of each partition will have. */
async function endsOf(client: Kafka): Promise<Position[]> {
  const admin = client.admin();
  await admin.connect();
  try {
    const partitions = await admin.fetchTopicOffsets(TOPIC);
    return partitions.map(({ partition, high }) => ({ partition, offset: high }));
  } finally {
    await admin.disconnect();
  }
}
