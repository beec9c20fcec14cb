/** When missing topics are created, by a broker that has those of a list; and what is said of deleted events. */
import { expect, it } from '@jest/globals';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { TopicRegistry } from '@hindsight/events/topic.ts';
import type { Kafka } from 'kafkajs';
import { createKafkaClient, topicKeeper } from './kafka-client.ts';

const registry = Object.fromEntries(
  ['a', 'b'].map((name) => [name, { name, partitions: 1, retentionMs: 1_000 }]),
) as unknown as TopicRegistry;

/** A keeper, its broker's topics, and a clock. */
function open() {
  const there = new Set<string>();
  const clock = { ms: 0 };
  const admin = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    listTopics: async () => [...there],
    describeCluster: async () => ({ brokers: [{}] }),
    async createTopics({ topics }: { topics: readonly { topic: string }[] }) {
      for (const { topic } of topics) there.add(topic);
      return true;
    },
  };
  const kafka = { admin: () => admin } as unknown as Kafka;
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const logger = createLogger({ name: 'bus', level: 'warn', destination });
  /** The names of those that it does not create yet. */
  const missing = (): unknown => lines.splice(0).at(-1)?.topics;
  return { there, clock, missing, keep: topicKeeper(kafka, registry, logger, () => clock.ms) };
}

it('all are created at first; one that was there, once it has been missing for a while', async () => {
  const { there, clock, missing, keep } = open();
  await keep();
  expect(there.size).toBe(4);
  there.delete('a');
  await keep();
  expect(missing()).toBe('a');
  clock.ms += 14_999;
  await keep();
  expect(missing()).toBe('a');
  expect(there).not.toContain('a');
  clock.ms += 1;
  await keep();
  expect(there).toContain('a');
});

it('one that was deleted before the process began is waited for, too: its dead letters are still there', async () => {
  const { there, clock, missing, keep } = open();
  for (const name of ['a', 'a.dead-letter', 'b.dead-letter']) there.add(name);
  await keep();
  expect(missing()).toBe('b');
  clock.ms += 15_000;
  await keep();
  expect(there).toContain('b');
});

it('others are created meanwhile, and dead letters at once, which no member reads', async () => {
  const { there, missing, keep } = open();
  there.add('a.dead-letter');
  await keep();
  expect(missing()).toBe('a');
  expect([...there].sort()).toEqual(['a.dead-letter', 'b', 'b.dead-letter']);
});

it('one that goes while another is missing is waited for from then on', async () => {
  const { there, clock, missing, keep } = open();
  await keep();
  there.delete('a');
  await keep();
  clock.ms += 15_000;
  // Another process has created it, and the next one went between two looks.
  there.add('a');
  there.delete('b');
  await keep();
  expect(missing()).toBe('b');
  clock.ms += 15_000;
  await keep();
  expect(there.size).toBe(4);
});

it('says as an error that events were deleted unread, and of which group', () => {
  const lines: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = createLogger({ name: 'bus', level: 'info', destination: to });
  const kafka = createKafkaClient(['127.0.0.1:1'], logger);
  const read = { topic: 'usage.recorded', partition: 4, groupId: 'metering' };
  kafka.logger().error('Offset out of range, resetting to default offset', read);
  kafka.logger().error('The group is rebalancing, so a rejoin is needed');
  const gone = { topic: 'usage.recorded', partition: 4, group: 'metering' };
  expect(lines).toMatchObject([{ level: 'error', ...gone }, { level: 'warn' }]);
});
