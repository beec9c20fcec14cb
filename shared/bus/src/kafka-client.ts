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

/** kafkajs logs its retries as errors; the caller reports real failures. */
function passOn({ level, namespace, log }: LogEntry, logger: Logger): void {
  const fields = { part: `kafkajs ${namespace}`, error: log.error as unknown };
  if (level === logLevel.ERROR) logger.warn(fields, log.message);
  else logger.debug(fields, log.message);
}

/** Creates the topics that are missing. Existing ones stay as the operator has configured them. */
export async function ensureTopics(kafka: Kafka, registry: TopicRegistry): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const there = new Set(await admin.listTopics());
    const { brokers } = await admin.describeCluster();
    const missing = topicConfigs(registry, brokers.length).filter(({ topic }) => !there.has(topic));
    // False if another process was faster; it creates the same.
    if (missing.length > 0) await admin.createTopics({ topics: missing, waitForLeaders: true });
  } finally {
    await admin.disconnect();
  }
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
