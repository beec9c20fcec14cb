/** The event bus as the services see it. Adapters: kafka.ts and sqlite.ts, held together by bus.contract.ts. */
import type { EventOf, TopicDefinition, TopicRegistry } from '../events/topic.ts';
import type { Topics } from '../events/topics.ts';

/** A durable log of events by topic, read by groups of consumers. Delivery is at least once. */
export interface EventBus<Registry extends TopicRegistry = Topics> {
  /**
   * Resolves when all events are on disk. Events of one key are kept in the order in which they were published.
   * Nothing is sent when one of them is faulty.
   * @throws {MalformedEvent | EventTooLarge} before anything is sent
   * @throws {PublishFailed} when the log is away for too long, refuses them or too much is waiting already
   * @throws {BusClosed}
   */
  publish<Topic extends NameIn<Registry>>(
    topic: Topic,
    events: readonly EventOf<Registry[Topic]>[],
  ): Promise<void>;

  /**
   * Writes an event that its producer itself cannot stand for to the dead letters of its topic; it never was on the
   * topic. The letter is called by the verdict's type, which is no event of the topic: putting it back publishes nothing.
   * Resolves when it is on disk.
   * @throws as `publish`
   */
  bury<Topic extends NameIn<Registry>>(
    topic: Topic,
    event: EventOf<Registry[Topic]>,
    verdict: ProducerVerdict,
  ): Promise<void>;

  /**
   * Hands the events of some topics to a handler, from the earliest for a new group. The members of a group share the
   * partitions; one member handles one batch at a time, unless it wants more. The group's offset moves only once the handler has resolved.
   *
   * When a handler rejects, the batch is tried again event by event with backoff; an event that keeps failing is
   * written to `<topic>.dead-letter`, and the rest goes on. While it cannot be written there, the offset stays. A
   * `HandlerUnavailable` is retried until it ends; the events that an `EventsRefused` names are dead-lettered at once.
   *
   * Resolves when the member has joined its group first, however long that takes; never rejects but for `BusClosed`.
   */
  subscribe<Topic extends NameIn<Registry>>(
    options: SubscribeOptions<Topic>,
    handler: Handler<ReceivedEvent<Registry[Topic]>>,
  ): Promise<Subscription>;

  /** The same for what consumers could not process. A letter whose handling keeps failing stays where it is. */
  subscribeDeadLetters(
    options: SubscribeOptions<NameIn<Registry>>,
    handler: Handler<DeadLetter>,
  ): Promise<Subscription>;

  /**
   * Reads a topic's dead letters, oldest first, to where they ended when this was called. `take` tells how many of the
   * letters it took; with fewer than it was given the reading ends. Subscriptions are not concerned.
   * @throws {MalformedEvent} when there is no such topic; what `take` throws
   */
  readDeadLetters(
    topic: NameIn<Registry>,
    options: ReadLetters,
    take: (letters: readonly DeadLetter[]) => Promise<number>,
  ): Promise<void>;

  /**
   * Publishes what stands in letters on their topic again: key, headers and data as they were, so that its consumers
   * know it for a repetition. Letters that are no events of the topic are left out. The letters themselves stay.
   * Resolves to the number of events once they are on disk.
   * @throws as `publish`
   */
  putBack(topic: NameIn<Registry>, letters: readonly DeadLetter[]): Promise<number>;

  /** Whether the log answers; rejects when it does not. For readiness. */
  check(): Promise<void>;

  /**
   * Ends all subscriptions once their running handlers have resolved (within 5 s; later ones are delivered again),
   * writes what was published before, closes the connection. Idempotent.
   */
  close(): Promise<void>;
}

type NameIn<Registry extends TopicRegistry> = keyof Registry & string;

/** Why a producer does not publish an event. */
export interface ProducerVerdict {
  readonly reason: string;
  /** Who says so. */
  readonly producer: string;
  /** What the letter is called in place of the event's own type. */
  readonly type: string;
}

/** What is subscribed to. */
export interface SubscribeOptions<Topic extends string = string> {
  /** Each group sees each event; its members share them. */
  readonly group: string;
  readonly topics: readonly Topic[];
  /** The most events that a handler is given at once; 1000 by default. */
  readonly maxBatch?: number;
  /** So many batches may be handled at the same time, each of another partition; 1 by default. The log may do fewer. */
  readonly partitionsAtOnce?: number;
}

/** Where an event stands. `<topic>-<partition>` is the lane within which `offset` rises. */
export interface Position {
  readonly topic: string;
  readonly partition: number;
  /** A decimal integer; rises within the partition, not always by one. */
  readonly offset: string;
}

/** How dead letters are read. */
export interface ReadLetters {
  /** Begins behind what this group has taken before, and remembers what is taken now; else it begins at the oldest. */
  readonly group?: string | undefined;
  /** Rejects when the end is not reached by then. */
  readonly withinMs: number;
}

/** An event with its position. */
export type ReceivedEvent<Topic extends TopicDefinition = TopicDefinition> = EventOf<Topic> & Position;

/** A message that a group could not process, as it was, and why. Its position is that in the dead-letter topic. */
export interface DeadLetter extends Position {
  readonly key: string | null;
  readonly value: Buffer | null;
  /** Its own headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly group: string;
  /** Where it stood. */
  readonly from: Position;
  /** When it was given up, Unix milliseconds. */
  readonly at: number;
}

/** What a handler is told beside the events. */
export interface BatchContext {
  readonly topic: string;
  readonly partition: number;
  /** Aborted when the subscription ends or the partition is lost: finish or give up soon. */
  readonly signal: AbortSignal;
}

/** Handles some events of one partition, in order. Its own waits must have timeouts. The same events may come again. */
export type Handler<Received> = (events: readonly Received[], context: BatchContext) => Promise<void>;

/** A membership in a group. */
export interface Subscription {
  /** Leaves the group once the running handler has resolved (within 5 s). Idempotent. */
  close(): Promise<void>;
}
