/**
 * The event bus as the services see it. Adapters: kafka.ts and sqlite.ts, tested by one contract,
 * bus.contract.ts.
 */
import type { EventOf, TopicDefinition, TopicRegistry } from '@hindsight/events/topic.ts';
import type { Topics } from '@hindsight/events/topics.ts';

/** A durable log of events by topic, read by groups of consumers. Delivery is at least once. */
export interface EventBus<Registry extends TopicRegistry = Topics> {
  /**
   * Resolves when all events are on disk. Events of one key keep the order in which they were published. If
   * one of them is invalid, none is sent.
   * @throws {MalformedEvent | EventTooLarge} before anything is sent
   * @throws {PublishFailed} when the log is unavailable for too long or refuses them, or when too much is
   * waiting already
   * @throws {BusClosed}
   */
  publish<Topic extends NameIn<Registry>>(
    topic: Topic,
    events: readonly EventOf<Registry[Topic]>[],
  ): Promise<void>;

  /**
   * Hands the events of some topics to a handler, from the earliest for a new group. The members of a group
   * share the partitions; a member handles one batch at a time unless it asks for more. The group's offset
   * moves only once the handler has resolved.
   *
   * When a handler rejects, the batch is retried event by event with backoff. An event that keeps failing is
   * written to `<topic>.dead-letter`, and the rest goes on; while that write fails, the offset stays. A
   * `HandlerUnavailable` is retried until it ends; the events that an `EventsRefused` names are dead-lettered
   * at once.
   *
   * Resolves when the member has first joined its group, which may take any time; rejects with `BusClosed`
   * only.
   */
  subscribe<Topic extends NameIn<Registry>>(
    options: SubscribeOptions<Topic>,
    handler: Handler<ReceivedEvent<Registry[Topic]>>,
  ): Promise<Subscription>;

  /** A group's position in each partition of a topic; rejects when the log does not answer. */
  progress(group: string, topic: NameIn<Registry>): Promise<readonly PartitionProgress[]>;

  /** Rejects when the log does not answer. For readiness. */
  check(): Promise<void>;

  /**
   * Ends all subscriptions once their running handlers have resolved (within 5 s; later ones are delivered again),
   * writes what was published before, closes the connection. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Events that could not be processed, by topic: written by producers and by `EventBus.subscribe`, read by
 * operators.
 */
export interface DeadLetterQueue<Registry extends TopicRegistry = Topics> {
  /**
   * Publishes an event that its producer could not validate straight to the dead letters of its topic,
   * without ever being on the topic. The verdict's type replaces the event's type and is no event of the
   * topic: a replay skips it. Resolves when it is on disk.
   * @throws as `EventBus.publish`
   */
  publishDeadLetter<Topic extends NameIn<Registry>>(
    topic: Topic,
    event: EventOf<Registry[Topic]>,
    verdict: ProducerVerdict,
  ): Promise<void>;

  /**
   * Reads a topic's dead letters, oldest first, up to the last one at the time of the call. `take` returns
   * how many it took; fewer than it was given end the reading. Subscriptions are not affected.
   * @throws {MalformedEvent} when there is no such topic
   * @throws {GroupInUse} when another process reads for the group; errors of `take`
   */
  readDeadLetters(
    topic: NameIn<Registry>,
    options: ReadDeadLetters,
    take: (deadLetters: readonly DeadLetter[]) => Promise<number>,
  ): Promise<void>;

  /**
   * Publishes the events of dead letters on their topic again, with unchanged key, headers and data, so that
   * consumers recognise a repetition. Skips dead letters that are no events of the topic. The dead letters
   * themselves stay. Resolves to the number of events once they are on disk.
   * @throws as `EventBus.publish`
   */
  replay(topic: NameIn<Registry>, deadLetters: readonly DeadLetter[]): Promise<number>;
}

export interface Bus<Registry extends TopicRegistry = Topics>
  extends EventBus<Registry>, DeadLetterQueue<Registry> {}

type NameIn<Registry extends TopicRegistry> = keyof Registry & string;

/** Why a producer does not publish an event. */
export interface ProducerVerdict {
  readonly reason: string;
  readonly producer: string;
  /** The dead letter's type, in place of the event's own. */
  readonly type: string;
}

export interface SubscribeOptions<Topic extends string = string> {
  /** Each group sees each event; its members share them. */
  readonly group: string;
  readonly topics: readonly Topic[];
  /** The most events that a handler gets at once; 1000 by default. */
  readonly maxBatch?: number;
  /**
   * Most batches, each of another partition, that are handled at the same time; 1 by default. The log may do
   * fewer.
   */
  readonly partitionsAtOnce?: number;
}

/** Position of an event in the log. `offset` rises within one partition of one topic. */
export interface Position {
  readonly topic: string;
  readonly partition: number;
  /** A decimal integer; rises within the partition, not always by one. */
  readonly offset: string;
}

export interface PartitionProgress {
  readonly partition: number;
  /** The offset at which the group continues, and the one after the last event. */
  readonly next: bigint;
  readonly end: bigint;
  /** Number of events in between: offsets do not always rise by one. */
  readonly waiting: number;
}

export interface ReadDeadLetters {
  /**
   * Continues after the dead letters that this group took before, and remembers those taken now; by default
   * it begins at the oldest.
   */
  readonly group?: string | undefined;
  /** Rejects when the end is not reached by then. */
  readonly withinMs: number;
}

export type ReceivedEvent<Topic extends TopicDefinition = TopicDefinition> = EventOf<Topic> & Position;

/**
 * A message that a group could not process, unchanged, and the reason. Its position is the one in the
 * dead-letter topic.
 */
export interface DeadLetter extends Position {
  readonly key: string | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly group: string;
  /** Its position on its own topic. */
  readonly from: Position;
  /** Time of its dead-lettering, Unix milliseconds. */
  readonly at: number;
}

export interface BatchContext {
  readonly topic: string;
  readonly partition: number;
  /** Aborted when the subscription ends or the partition is lost: finish or abort soon. */
  readonly signal: AbortSignal;
}

/**
 * Handles some events of one partition, in order. Waits in it need timeouts. The same events may come again.
 */
export type Handler<Received> = (events: readonly Received[], context: BatchContext) => Promise<void>;

export interface Subscription {
  /** Leaves the group once the running handler has resolved (within 5 s). Idempotent. */
  close(): Promise<void>;
}
