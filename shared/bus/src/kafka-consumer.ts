/**
 * A member of a Kafka group. After some errors kafkajs stops a consumer for good (its CRASH event); another
 * one then takes its place, for as long as the subscription lasts. Only the delivery commits offsets.
 */
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { CREATES_NO_TOPICS } from './kafka-client.ts';
import { watchReading } from './kafka-standstill.ts';
import {
  type BatchHandler,
  type BatchLink,
  type Joining,
  LEAVE_WITHIN_MS,
  type Membership,
  type StoredRecord,
} from './log.ts';
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import { settledWithin } from '@hindsight/kernel/deadline.ts';
import { backoff, pause } from '@hindsight/kernel/retry.ts';

interface Deps extends Omit<Joining, 'partitionsAtOnce'> {
  readonly sessionTimeoutMs: number;
  readonly heartbeatMs: number;
  /** A consumer that completes no fetch for this long, not even an empty one, is replaced; 3 minutes by default. */
  readonly stillMs?: number;
  /** Run before each start. */
  prepare(): Promise<void>;
  readonly logger: Logger;
}

/** The longest that a batch may take while others of the group wait for their partitions. */
const REBALANCE_TIMEOUT_MS = 60_000;
/** Longest that a broker holds a fetch that finds nothing; a leaving member waits for it. */
const MAX_WAIT_MS = 500;
/** Longer than joining takes, while others of the group finish their batches. */
const STILL_MS = 180_000;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** Byte limits of a fetch for this many events: of one partition, and of all together. */
const FETCH_BYTES_PER_EVENT = 768;
const LEAST_FETCH_BYTES = 1024 * 1024;
const FETCH_BYTES = 10 * LEAST_FETCH_BYTES;
/** Each batch decides what comes next: kafkajs must not skip to its end. */
const RUN = { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: 1 };

export function startKafkaMember(kafka: Kafka, deps: Deps, onBatch: BatchHandler): Membership {
  const { logger } = deps;
  const leaving = new AbortController();
  const { promise: joined, resolve: hasJoined } = Promise.withResolvers<void>();

  /** One consumer's life; returns how often it has joined. */
  async function live(): Promise<number> {
    let joins = 0;
    const consumer = createConsumer(kafka, deps);
    const reading = watchReading(consumer, deps.stillMs ?? STILL_MS);
    const crash = new Promise<Error>((resolve) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => resolve(payload.error));
    });
    consumer.on(consumer.events.GROUP_JOIN, () => {
      joins++;
      hasJoined();
    });
    try {
      await deps.prepare();
      await consumer.connect();
      await consumer.subscribe({ topics: [...deps.topics], fromBeginning: true });
      await consumer.run({ ...RUN, eachBatch: (payload) => reading.during(handle(payload)) });
      const failure = Promise.race([crash, reading.stoodStill]);
      const error = await unlessAborted(failure, leaving.signal).catch(() => undefined);
      if (error !== undefined) logger.warn({ err: error }, 'a consumer failed; replacing it');
    } catch (err) {
      logger.warn({ err }, 'a consumer could not start; trying again');
    } finally {
      reading.end();
      const stopped = await settledWithin(consumer.disconnect(), LEAVE_WITHIN_MS);
      if (!stopped) logger.warn('a consumer did not stop in time; its events will be delivered again');
    }
    return joins;
  }

  async function handle(payload: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = payload.batch;
    const interrupted = new AbortController();
    const interrupt = (): void => interrupted.abort();
    if (leaving.signal.aborted) return;
    leaving.signal.addEventListener('abort', interrupt, { once: true });
    // Keeps the membership during a slow handler. An error means that the group has expelled this member.
    let lost: Error | undefined;
    const beat = setInterval(() => {
      payload.heartbeat().catch((error: unknown) => {
        lost = error as Error;
        interrupted.abort();
      });
    }, deps.heartbeatMs);
    try {
      const records = messages.map((message) => toRecord(topic, partition, message));
      await onBatch(records, linkOf(payload, interrupted.signal));
    } finally {
      clearInterval(beat);
      leaving.signal.removeEventListener('abort', interrupt);
    }
    // The thrown error decides whether kafkajs rejoins or retries.
    if (lost !== undefined) throw lost;
  }

  async function run(): Promise<void> {
    for (let failures = 1; !leaving.signal.aborted; failures++) {
      if ((await live()) > 0) failures = 1;
      await pause(backoff(failures, FIRST_DELAY_MS, MAX_DELAY_MS), leaving.signal);
    }
    hasJoined();
  }

  const ended = run();
  return {
    joined,
    async leave() {
      leaving.abort();
      await settledWithin(ended, LEAVE_WITHIN_MS + 1_000);
    },
  };
}

function createConsumer(kafka: Kafka, { group, maxBatch, sessionTimeoutMs, heartbeatMs }: Deps): Consumer {
  return kafka.consumer({
    ...CREATES_NO_TOPICS,
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatMs,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    maxWaitTimeInMs: MAX_WAIT_MS,
    maxBytesPerPartition: Math.min(
      Math.max(maxBatch * FETCH_BYTES_PER_EVENT, LEAST_FETCH_BYTES),
      FETCH_BYTES,
    ),
    maxBytes: FETCH_BYTES,
    retry: {
      retries: 5,
      initialRetryTime: 100,
      maxRetryTime: 1_000,
      // Restarts are ours alone.
      restartOnFailure: () => Promise.resolve(false),
    },
  });
}

function linkOf(payload: EachBatchPayload, signal: AbortSignal): BatchLink {
  const { topic, partition } = payload.batch;
  return {
    topic,
    partition,
    signal,
    async commit(offset) {
      // Resolves locally first: if the commit fails, the next one covers it, and nothing is handled twice.
      payload.resolveOffset(offset);
      const next = String(BigInt(offset) + 1n);
      await payload.commitOffsetsIfNecessary({
        topics: [{ topic, partitions: [{ partition, offset: next }] }],
      });
    },
  };
}

export function toRecord(topic: string, partition: number, message: KafkaMessage): StoredRecord {
  const headers: Record<string, string> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    // A header may come several times; the first counts.
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) headers[name] = first.toString();
  }
  const { key, value, offset } = message;
  return { topic, partition, offset, key: key === null ? null : key.toString(), value, headers };
}
