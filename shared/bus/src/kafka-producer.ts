/**
 * Writes to Kafka so that no acknowledged record is lost and the order of a key holds, with unmodified
 * kafkajs 2.2.4:
 * - one send at a time (the publish queue's part), acks from all in-sync replicas, idempotent;
 * - a send with an unknown outcome is repeated with the same records by the same producer: the broker
 *   recognises the repetition by its sequence numbers;
 * - a producer whose send is abandoned is discarded. It would give the same sequence numbers to the next
 *   records, and the broker would acknowledge those without writing them.
 */
import { type Kafka, Partitioners, type Producer, type TopicMessages } from 'kafkajs';
import { settledWithin, withDeadline } from '@hindsight/kernel/deadline.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { PublishFailed } from './errors.ts';
import { CREATES_NO_TOPICS } from './kafka-client.ts';
import type { OutgoingRecord } from './log.ts';
import { backoff, pause } from '@hindsight/kernel/retry.ts';

const DISCONNECT_WITHIN_MS = 2_000;
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/**
 * Errors that a broker would repeat for the same records
 * (https://kafka.apache.org/protocol#protocol_error_codes).
 */
const REFUSALS = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'CORRUPT_MESSAGE',
  'INVALID_TIMESTAMP',
  'POLICY_VIOLATION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
]);

/** The only writer of a bus. */
export interface KafkaWriter {
  /** Must not be called before the last call has settled. @throws {PublishFailed} */
  append(records: readonly OutgoingRecord[]): Promise<void>;
  close(): Promise<void>;
}

interface Deps {
  /** Run before the first send, and again when a topic is missing. */
  prepare(): Promise<void>;
  /** Milliseconds of attempts on one batch; by their end its callers have been rejected. */
  readonly giveUpAfterMs: number;
  readonly logger: Logger;
}

/** Creates a writer; it connects when it is first used. */
export function createKafkaWriter(kafka: Kafka, deps: Deps): KafkaWriter {
  const closing = new AbortController();
  let current: Producer | undefined;
  let prepared = false;

  /**
   * kafkajs limits each request, and so every send; a send that hangs all the same would block all later
   * ones.
   */
  const sendWithinMs = 2 * deps.giveUpAfterMs;
  const neverEnded = (): Error => new Error(`a send did not end within ${sendWithinMs} ms`);

  async function connected(): Promise<Producer> {
    if (!prepared) await deps.prepare();
    prepared = true;
    if (current !== undefined) return current;
    const producer = kafka.producer({
      ...CREATES_NO_TOPICS,
      idempotent: true,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    });
    await producer.connect();
    current = producer;
    return producer;
  }

  /** Topics that are there are written to meanwhile, also where the missing one may not be created. */
  async function prepareAgain(): Promise<void> {
    await withDeadline(deps.prepare(), sendWithinMs, neverEnded).catch((err: unknown) =>
      deps.logger.warn({ err }, 'a topic is missing'),
    );
  }

  async function discard(): Promise<void> {
    const producer = current;
    current = undefined;
    if (producer !== undefined) await settledWithin(producer.disconnect(), DISCONNECT_WITHIN_MS);
  }

  /** Resolves to undefined once the records are written, or to the error. */
  async function send(topicMessages: TopicMessages[]): Promise<Error | undefined> {
    const sent = connected().then((producer) => producer.sendBatch({ acks: -1, topicMessages }));
    try {
      await withDeadline(sent, sendWithinMs, neverEnded);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  return {
    async append(records) {
      const messages = byTopic(records);
      const giveUpAt = performance.now() + deps.giveUpAfterMs;
      for (let tries = 1; ; tries++) {
        const error = await send(messages);
        if (error === undefined) return;
        const refused = REFUSALS.has(codeOf(error));
        if (refused || closing.signal.aborted || performance.now() > giveUpAt) {
          await discard();
          throw new PublishFailed(error.message, { refused, cause: error });
        }
        deps.logger.warn({ err: error, tries }, 'events could not be sent; trying again');
        if (codeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION') await prepareAgain();
        // Its sequence numbers are useless now; a new producer may write the same records twice, but never loses them.
        if (!isTransient(error)) await discard();
        await pause(backoff(tries, FIRST_DELAY_MS, MAX_DELAY_MS), closing.signal);
      }
    },
    async close() {
      closing.abort();
      await discard();
    },
  };
}

function byTopic(records: readonly OutgoingRecord[]): TopicMessages[] {
  return [...Map.groupBy(records, ({ topic }) => topic)].map(([topic, those]) => ({
    topic,
    messages: those.map(({ key, value, headers }) => ({ key, value, headers })),
  }));
}

/** The error and its causes: kafkajs wraps the first error into the last one. */
function* causes(error: Error): Generator<Error> {
  for (let at: unknown = error; at instanceof Error; at = at.cause) yield at;
}

function codeOf(error: Error): string {
  for (const cause of causes(error)) if ('type' in cause && typeof cause.type === 'string') return cause.type;
  return '';
}

function isTransient(error: Error): boolean {
  const first = [...causes(error)].at(-1);
  return first !== undefined && 'retriable' in first && first.retriable === true;
}
