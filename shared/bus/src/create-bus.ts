/** Creates a bus over a log: the part that all adapters share. */
import type { Platform } from '@hindsight/kernel/platform.ts';
import { decodeEvent, encodeEvent, MalformedEvent } from '@hindsight/events/envelope.ts';
import {
  deadLetterTopic,
  type BusEvent,
  type TopicDefinition,
  type TopicRegistry,
} from '@hindsight/events/topic.ts';
import { isEventOf, readDeadLetter, toDeadLetter } from './dead-letter.ts';
import { deliver, type DeliveryPlan, type Received, type RetryPolicy } from './deliver.ts';
import { BusClosed } from './errors.ts';
import type { EventLog, Membership, OutgoingRecord, StoredRecord } from './log.ts';
import type { Bus, Handler, Subscription, SubscribeOptions } from './port.ts';
import { PublishQueue } from './publish-queue.ts';

/** Dependencies of a bus besides its log. */
export interface BusDeps<Registry extends TopicRegistry> extends Pick<Platform, 'clock' | 'logger'> {
  readonly topics: Registry;
  /** By default 6 attempts, from 100 ms to 5 s apart. */
  readonly retry?: RetryPolicy;
  /** A publish that takes longer is rejected; 30 s by default. */
  readonly publishTimeoutMs?: number | undefined;
}

const DEFAULT_RETRY: RetryPolicy = { attempts: 6, firstDelayMs: 100, maxDelayMs: 5_000 };
const DEFAULT_PUBLISH_TIMEOUT_MS = 30_000;
/** One fetch of 1 KB events, so that each fetch needs one commit. */
const DEFAULT_MAX_BATCH = 1_000;

/** The position in a dead letter written by its producer. */
const NEVER_ON_TOPIC = { partition: -1, offset: '-1' };

export function createBus<Registry extends TopicRegistry>(
  log: EventLog,
  deps: BusDeps<Registry>,
): Bus<Registry> {
  const queue = new PublishQueue(
    (records) => log.append(records),
    deps.publishTimeoutMs ?? DEFAULT_PUBLISH_TIMEOUT_MS,
  );
  const retry = deps.retry ?? DEFAULT_RETRY;
  const members = new Set<Membership>();
  let closing: Promise<void> | undefined;

  async function join(
    { group, topics, maxBatch = DEFAULT_MAX_BATCH, partitionsAtOnce = 1 }: SubscribeOptions,
    plan: Pick<DeliveryPlan, 'decode' | 'handler' | 'deadLetter'>,
  ): Promise<Subscription> {
    if (closing !== undefined) throw new BusClosed();
    const logger = deps.logger.child({ group });
    const complete = { ...plan, retry, maxBatch, logger };
    const member = log.join({ group, topics, maxBatch, partitionsAtOnce }, (records, link) =>
      deliver(records, link, complete),
    );
    members.add(member);
    await member.joined;
    if (isClosing()) throw new BusClosed();
    const close = async (): Promise<void> => {
      await member.leave();
      members.delete(member);
    };
    return { close };
  }

  // A function, because the compiler assumes that the variable does not change across an await.
  const isClosing = (): boolean => closing !== undefined;

  async function closeAll(): Promise<void> {
    // Handlers that are finishing may still publish.
    await Promise.all([...members].map((member) => member.leave()));
    await queue.close();
    await log.close();
  }

  return {
    publish: async (topic, events) => queue.add(encodeAll(topicOf(deps.topics, topic), events)),
    async publishDeadLetter(topic, event, { reason, producer, type }) {
      const definition = topicOf(deps.topics, topic);
      const encoded = encodeEvent(definition, event);
      const headers = { ...encoded.headers, ce_type: type };
      const record = { ...encoded, headers, topic: definition.name, ...NEVER_ON_TOPIC };
      return queue.add([toDeadLetter(record, { reason, group: producer, at: deps.clock.now() })]);
    },
    async subscribe(subscribed, handler) {
      for (const name of subscribed.topics) topicOf(deps.topics, name);
      return join(subscribed, {
        decode: (record) => received(topicOf(deps.topics, record.topic), record),
        handler: handler as unknown as Handler<Received>,
        deadLetter: (record, reason) =>
          queue.add([toDeadLetter(record, { reason, group: subscribed.group, at: deps.clock.now() })]),
      });
    },
    async readDeadLetters(name, how, take) {
      const topic = deadLetterTopic(topicOf(deps.topics, name).name);
      return log.scan({ ...how, topic }, (records) => take(records.map(readDeadLetter)));
    },
    async replay(name, letters) {
      const topic = topicOf(deps.topics, name);
      const events = letters.filter((letter) => isEventOf(topic, letter));
      const records = events.map(({ key, value, headers }) => ({ topic: topic.name, key, value, headers }));
      if (records.length > 0) await queue.add(records);
      return records.length;
    },
    progress: async (group, topic) => log.progress(group, topicOf(deps.topics, topic).name),
    check: () => log.check(),
    close: () => (closing ??= closeAll()),
  };
}

function topicOf(topics: TopicRegistry, name: string): TopicDefinition {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  if (topic === undefined) throw new MalformedEvent(`there is no topic ${name}`);
  return topic;
}

function encodeAll(topic: TopicDefinition, events: readonly BusEvent[]): OutgoingRecord[] {
  return events.map((event) => ({ topic: topic.name, ...encodeEvent(topic, event) }));
}

function received(topic: TopicDefinition, record: StoredRecord): Received {
  const { partition, offset } = record;
  return { ...decodeEvent(topic, record), topic: topic.name, partition, offset };
}
