/**
 * Events on the wire: CloudEvents 1.0 in the Kafka protocol binding's binary mode. Attributes are headers with the
 * prefix `ce_`, `content-type` is the data's format, the value is the data itself, as JSON
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md). `ce_sequence` is
 * the sequence extension with the type Integer; `traceparent` travels under its own name, as tracers look for it.
 */
import { z } from 'zod';
import type { BusEvent, TopicDefinition } from './topic.ts';

/** Key, headers and value of an event together are at most this long, so that every broker takes it. */
export const MAX_EVENT_BYTES = 256 * 1024;

/** An event as a log holds it. */
interface Message {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

/** A message is not an event of its topic, or an event breaks its topic's schema. The text quotes no data. */
export class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';
}

/** The event is longer than `MAX_EVENT_BYTES`. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';

  constructor(topic: string, id: string, bytes: number) {
    super(`event ${id} of ${topic} is ${bytes} bytes long; the limit is ${MAX_EVENT_BYTES}`);
  }
}

const SPEC_VERSION = '1.0';
const CONTENT_TYPE = 'application/json';
const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

const attributes = z.object({
  type: z.string().min(1).max(100),
  id: z.string().min(1).max(200),
  source: z.string().min(1).max(200),
  time: z.number().int().min(0).max(8.64e15),
  sequence: z.number().int().min(0).optional(),
});

const headers = z.object({
  ce_specversion: z.literal(SPEC_VERSION),
  ce_type: attributes.shape.type,
  ce_id: attributes.shape.id,
  ce_source: attributes.shape.source,
  ce_time: z.iso.datetime({ offset: true }),
  ce_sequence: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
  'content-type': z.string().regex(/^application\/json\s*(;|$)/i),
});

/**
 * Turns an event into a message.
 * @throws {MalformedEvent} when its attributes or its data break the schema
 * @throws {EventTooLarge}
 */
export function encodeEvent(topic: TopicDefinition, event: BusEvent): Message {
  const given = check(attributes, event, `an event of ${topic.name}`);
  const data = check(schemaOf(topic, given.type), event.data, `${given.type} ${given.id}`);
  const message: Message = {
    key: topic.keyOf(data),
    headers: {
      ce_specversion: SPEC_VERSION,
      ce_type: given.type,
      ce_id: given.id,
      ce_source: given.source,
      ce_time: new Date(given.time).toISOString(),
      ...(given.sequence === undefined ? {} : { ce_sequence: String(given.sequence) }),
      ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
      'content-type': CONTENT_TYPE,
    },
    value: Buffer.from(JSON.stringify(data)),
  };
  const bytes = sizeOf(message);
  if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(topic.name, given.id, bytes);
  return message;
}

/**
 * Turns a message back into an event. A malformed trace context is dropped: it must not cost an event.
 * @throws {MalformedEvent}
 */
export function decodeEvent(
  topic: TopicDefinition,
  message: { readonly headers: Readonly<Record<string, string>>; readonly value: Buffer | null },
): BusEvent {
  const given = check(headers, message.headers, 'the headers');
  const schema = schemaOf(topic, given.ce_type);
  const { traceparent } = message.headers;
  return {
    type: given.ce_type,
    id: given.ce_id,
    source: given.ce_source,
    time: Date.parse(given.ce_time),
    ...(given.ce_sequence === undefined ? {} : { sequence: given.ce_sequence }),
    ...(traceparent !== undefined && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
    data: check(schema, parseJson(message.value), 'the data'),
  };
}

export function sizeOf(message: {
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer | null;
}): number {
  let bytes = Buffer.byteLength(message.key ?? '') + (message.value?.length ?? 0);
  for (const name in message.headers) bytes += name.length + Buffer.byteLength(message.headers[name] ?? '');
  return bytes;
}

function schemaOf(topic: TopicDefinition, type: string): z.ZodType {
  const schema = Object.hasOwn(topic.events, type) ? topic.events[type] : undefined;
  if (schema === undefined) throw new MalformedEvent(`${topic.name} has no events of the type ${type}`);
  return schema;
}

function parseJson(value: Buffer | null): unknown {
  if (value === null) throw new MalformedEvent('the message has no data');
  try {
    return JSON.parse(value.toString('utf8'));
  } catch {
    throw new MalformedEvent('the data is not JSON');
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || '(all)'}: ${message}`);
  throw new MalformedEvent(`${what} broke the schema: ${faults.join('; ').slice(0, 1_000)}`);
}
