/** Configures kafkajs for this product: timeouts, security, logging, topics. */
import { type ITopicConfig, Kafka, logLevel, type LogEntry, type SASLOptions } from 'kafkajs';
import { deadLetterTopic, type TopicRegistry } from '@hindsight/events/topic.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { DEAD_LETTER_RETENTION_MS } from './dead-letter.ts';
import { mendIdleTimers } from './kafka-timers.ts';

/** Long enough for a broker under load, short enough to notice a dead one. */
const REQUEST_TIMEOUT_MS = 10_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/**
 * A dead letter is its message, which other programs may have made as long as a broker accepts by default,
 * plus headers.
 */
const DEAD_LETTER_MAX_BYTES = 4 * 1024 * 1024;
/** A member fails about three seconds after its topic was deleted (`retry` of its consumer). */
const MISSING_MS = 15_000;
/** Said by kafkajs 2.2.4 where the broker no longer has the record at a group's offset. */
const OUT_OF_RANGE = 'Offset out of range, resetting to default offset';

/** Encryption and credentials towards Kafka. Without them: plaintext, anonymous. */
export interface KafkaSecurity {
  readonly tls: boolean;
  /** PEM of the authorities to trust, instead of those that Node trusts. */
  readonly ca?: string | undefined;
  readonly sasl?:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
        readonly username: string;
        readonly password: string;
      }
    | undefined;
}

const CLIENT_ID = 'hindsight';
/**
 * For every consumer and producer: kafkajs lets a broker create a topic that is asked about, with one partition and
 * the broker's retention, where the broker is set so.
 */
export const CREATES_NO_TOPICS = { allowAutoTopicCreation: false };

/** Client id of a process's members, as brokers know it. */
export function clientIdOf(process: string): string {
  return `${CLIENT_ID}-${process}`;
}

/** Connects lazily; `brokers` as host:port. Retries here are short: the caller decides for how long to retry. */
export function createKafkaClient(
  brokers: readonly string[],
  logger: Logger,
  { tls, ca, sasl }: KafkaSecurity = { tls: false },
  clientId = CLIENT_ID,
): Kafka {
  mendIdleTimers();
  return new Kafka({
    clientId,
    brokers: [...brokers],
    ssl: tls && (ca === undefined || { ca }),
    ...(sasl && { sasl: sasl as SASLOptions }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 },
    logLevel: logLevel.WARN,
    logCreator: () => (entry) => passOn(entry, logger),
  });
}

/**
 * kafkajs logs its retries as errors; the caller reports real failures. Events that were deleted before a group read them
 * are an exception: nothing else reports them, and the group goes on as if it had read them.
 */
function passOn({ level, namespace, log }: LogEntry, logger: Logger): void {
  if (log.message === OUT_OF_RANGE) {
    const { groupId: group, topic, partition } = log;
    logger.error({ group, topic, partition }, 'events were deleted that this group had not read');
    return;
  }
  const fields = { part: `kafkajs ${namespace}`, error: log.error as unknown };
  if (level === logLevel.ERROR) logger.warn(fields, log.message);
  else logger.debug(fields, log.message);
}

/**
 * Creates the topics that are missing; existing ones stay as the operator has configured them. One that was there
 * before is created again only once it has been missing for a while: by then each member that reads it has
 * failed, and asks where to begin. It would go on at its former offset otherwise, and skip what is written first.
 * A topic was there before the first look if its dead letters are: both are created together.
 * @param now monotonic milliseconds
 */
export function topicKeeper(
  kafka: Kafka,
  registry: TopicRegistry,
  logger: Logger,
  now = (): number => performance.now(),
): () => Promise<void> {
  /** Moments by topic; -Infinity for one that was never there, as far as is known. */
  const missingSince = new Map<string, number>();
  let isFirst = true;
  return async () => {
    const admin = kafka.admin();
    try {
      await admin.connect();
      const there = new Set(await admin.listTopics());
      const { brokers } = await admin.describeCluster();
      const missing = topicConfigs(registry, brokers.length).filter(({ topic }) => !there.has(topic));
      for (const topic of there) missingSince.delete(topic);
      for (const { topic } of missing) {
        const wasThere = !isFirst || there.has(deadLetterTopic(topic));
        if (!missingSince.has(topic)) missingSince.set(topic, wasThere ? now() : -Infinity);
      }
      isFirst = false;
      const waiting = missing.filter(({ topic }) => now() - missingSince.get(topic)! < MISSING_MS);
      const due = missing.filter((one) => !waiting.includes(one));
      if (waiting.length > 0)
        logger.warn({ topics: namesOf(waiting) }, 'topics are missing, and will be created again');
      if (due.length === 0) return;
      // False if another process was faster; it creates the same.
      const created = await admin.createTopics({ topics: due, waitForLeaders: true });
      if (created) logger.info({ topics: namesOf(due) }, 'topics are created');
      for (const { topic } of due) missingSince.delete(topic);
    } finally {
      await admin.disconnect();
    }
  };
}

function namesOf(topics: readonly ITopicConfig[]): string {
  return topics.map(({ topic }) => topic).join(', ');
}

function topicConfigs(registry: TopicRegistry, brokers: number): ITopicConfig[] {
  // Three copies of which two must have it before it counts as written; with fewer brokers there is no choice.
  const copies = brokers >= 3 ? 3 : 1;
  const durable = [{ name: 'min.insync.replicas', value: copies === 3 ? '2' : '1' }];
  return Object.values(registry).flatMap(({ name, partitions, retentionMs }) => [
    {
      topic: name,
      numPartitions: partitions,
      replicationFactor: copies,
      configEntries: [...durable, { name: 'retention.ms', value: String(retentionMs) }],
    },
    {
      topic: deadLetterTopic(name),
      numPartitions: 1,
      replicationFactor: copies,
      configEntries: [
        ...durable,
        { name: 'retention.ms', value: String(DEAD_LETTER_RETENTION_MS) },
        { name: 'max.message.bytes', value: String(DEAD_LETTER_MAX_BYTES) },
      ],
    },
  ]);
}
