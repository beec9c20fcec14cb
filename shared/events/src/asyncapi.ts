import { z } from 'zod';
import { deadLetterTopic, type TopicDefinition, type TopicRegistry } from './topic.ts';

type Json = Record<string, unknown>;

/** The registry of topics as an AsyncAPI 3.0 document (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
export function asyncApiOf(topics: TopicRegistry): Json {
  const all = Object.values(topics);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Hindsight events',
      version: '1.0.0',
      description:
        'CloudEvents 1.0 in the binary mode of the Kafka binding: attributes are headers with the prefix ce_, the value is the data as JSON. Only additions are made: ignore fields that you do not know. Delivery is at least once; a repeated event carries the same ce_source and ce_id.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(all.flatMap((topic) => [eventChannel(topic), deadLetterChannel(topic)])),
    operations: Object.fromEntries(all.map(operationOf)),
    components: {
      messages: { 'dead-letter': DEAD_LETTER, ...Object.fromEntries(all.flatMap(messagesOf)) },
      schemas: Object.fromEntries(all.flatMap(schemasOf)),
    },
  };
}

function dataSchema(schema: z.ZodType): Json {
  // Readers must ignore additions, so additional properties are not forbidden.
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

/** Names are unique over all topics. */
function nameOf(topic: TopicDefinition, type: string): string {
  return `${topic.name}.${type}`;
}

function eventChannel(topic: TopicDefinition): [string, Json] {
  const messages = Object.keys(topic.events).map((type) => [
    type,
    { $ref: `#/components/messages/${nameOf(topic, type)}` },
  ]);
  return [
    topic.name,
    {
      address: topic.name,
      description: topic.guarantee,
      messages: Object.fromEntries(messages) as Json,
      bindings: {
        kafka: {
          topic: topic.name,
          partitions: topic.partitions,
          topicConfiguration: { 'retention.ms': topic.retentionMs },
          bindingVersion: '0.5.0',
        },
      },
    },
  ];
}

function deadLetterChannel(topic: TopicDefinition): [string, Json] {
  const address = deadLetterTopic(topic.name);
  const description = 'What could not be processed: the message as it was, with headers that say why.';
  const messages = { 'dead-letter': { $ref: '#/components/messages/dead-letter' } };
  return [address, { address, description, messages }];
}

function operationOf(topic: TopicDefinition): [string, Json] {
  return [`send-${topic.name}`, { action: 'send', channel: { $ref: `#/channels/${topic.name}` } }];
}

function messagesOf(topic: TopicDefinition): [string, Json][] {
  return Object.keys(topic.events).map((type) => [
    nameOf(topic, type),
    {
      name: type,
      contentType: 'application/json',
      headers: { $ref: '#/components/schemas/headers' },
      payload: { $ref: `#/components/schemas/${nameOf(topic, type)}` },
      bindings: {
        kafka: { key: { type: 'string', description: topic.keyMeaning }, bindingVersion: '0.5.0' },
      },
    },
  ]);
}

function schemasOf(topic: TopicDefinition): [string, Json][] {
  const events = Object.entries(topic.events).map(([type, schema]): [string, Json] => [
    nameOf(topic, type),
    dataSchema(schema),
  ]);
  return [['headers', HEADERS], ['dead-letter-headers', DEAD_LETTER_HEADERS], ...events];
}

const HEADERS: Json = {
  type: 'object',
  required: ['ce_specversion', 'ce_type', 'ce_id', 'ce_source', 'ce_time', 'content-type'],
  properties: {
    ce_specversion: { const: '1.0' },
    ce_type: { type: 'string' },
    ce_id: { type: 'string' },
    ce_source: {
      type: 'string',
      description: 'For counted events the producer within which ce_sequence rises',
    },
    ce_time: { type: 'string', format: 'date-time' },
    ce_sequence: { type: 'string', pattern: '^\\d{1,15}$' },
    'content-type': { type: 'string' },
    traceparent: { type: 'string' },
  },
};

const DEAD_LETTER: Json = {
  name: 'dead-letter',
  description:
    'Key and value are those of the message that could not be processed, and so are its headers; these are added.',
  headers: { $ref: '#/components/schemas/dead-letter-headers' },
};

const DEAD_LETTER_HEADERS: Json = {
  type: 'object',
  required: ['reason', 'group', 'at', 'topic', 'partition', 'offset'].map((name) => `dead_letter_${name}`),
  properties: {
    dead_letter_reason: { type: 'string' },
    dead_letter_group: {
      type: 'string',
      description: 'The consumer group, or the producer, that abandoned it',
    },
    dead_letter_at: { type: 'string', format: 'date-time' },
    dead_letter_topic: { type: 'string', description: 'Where it was' },
    dead_letter_partition: { type: 'string', pattern: '^-?\\d+$' },
    dead_letter_offset: { type: 'string' },
  },
};
