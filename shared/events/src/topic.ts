import type { z } from 'zod';

export type EventSchemas = Readonly<Record<string, z.ZodType>>;

/** All that publishers, consumers, brokers and documents need to know about a topic. */
export interface TopicDefinition<Schemas extends EventSchemas = EventSchemas, Data = DataOf<Schemas>> {
  readonly name: string;
  /** Meaning of the key, in words; events of one key keep their order. */
  readonly keyMeaning: string;
  keyOf(data: Data): string;
  /** Data of each event type. Only additions are allowed: unknown fields are ignored by readers. */
  readonly events: Schemas;
  /** Set when the topic is created and never changed after: a key must not move to another partition. */
  readonly partitions: number;
  /** Minimum time for which an event is kept, in milliseconds. */
  readonly retentionMs: number;
  /** Delivery guarantee to consumers, in words. */
  readonly guarantee: string;
}

type DataOf<Schemas extends EventSchemas> = z.output<Schemas[keyof Schemas]>;

export type TopicRegistry = Readonly<Record<string, TopicDefinition>>;

/** One event as the code sees it: CloudEvents' attributes and its data. */
export interface BusEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  /** Together with `source` the event's identity: the same for each repetition of it. */
  readonly id: string;
  /** The publisher as a URI reference such as `/gateway/<instance>`; for counted events one instance of a producer. */
  readonly source: string;
  /** When it happened, Unix milliseconds. */
  readonly time: number;
  /** Rises within `source`; for consumers that apply each event exactly once. */
  readonly sequence?: number;
  /** W3C trace context of what caused it. */
  readonly traceparent?: string;
  readonly data: Data;
}

/** Any event of a topic; `type` determines what `data` is. */
export type EventOf<Topic extends TopicDefinition> = {
  [Type in keyof Topic['events'] & string]: BusEvent<Type, z.output<Topic['events'][Type]>>;
}[keyof Topic['events'] & string];

/** Declares a topic; keeps the types of its data. */
export function defineTopic<const Schemas extends EventSchemas>(
  topic: TopicDefinition<Schemas>,
): TopicDefinition<Schemas> {
  return topic;
}

/** Name of the topic for events that a consumer cannot process. */
export function deadLetterTopic(topic: string): string {
  return `${topic}.dead-letter`;
}
