import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { decodeEvent, encodeEvent, EventTooLarge, MalformedEvent, MAX_EVENT_BYTES } from './envelope.ts';
import { defineTopic } from './topic.ts';

const topic = defineTopic({
  name: 'test.things',
  keyMeaning: 'thing',
  keyOf: (data) => data.thing,
  events: { 'thing-seen': z.object({ thing: z.string(), text: z.string().optional() }) },
  partitions: 1,
  retentionMs: 1_000,
  guarantee: 'none',
});

const event = {
  type: 'thing-seen',
  id: 'e-1',
  source: '/test/1',
  time: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  sequence: 7,
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  data: { thing: 'Größe' },
} as const;

describe('an event on the wire', () => {
  it('is CloudEvents 1.0 in binary mode', () => {
    const { key, headers, value } = encodeEvent(topic, event);
    expect(key).toBe('Größe');
    expect(headers).toEqual({
      ce_specversion: '1.0',
      ce_type: 'thing-seen',
      ce_id: 'e-1',
      ce_source: '/test/1',
      ce_time: '2026-01-02T03:04:05.678Z',
      ce_sequence: '7',
      traceparent: event.traceparent,
      'content-type': 'application/json',
    });
    expect(JSON.parse(value.toString())).toEqual({ thing: 'Größe' });
  });

  it('survives a round trip', () => {
    expect(decodeEvent(topic, encodeEvent(topic, event))).toEqual(event);
    const { sequence: _sequence, traceparent: _traceparent, ...bare } = event;
    expect(decodeEvent(topic, encodeEvent(topic, bare))).toEqual(bare);
  });

  it('may carry fields that its reader does not know yet', () => {
    const message = encodeEvent(topic, event);
    const newer = { ...message, value: Buffer.from('{"thing":"a","colour":"red"}') };
    expect(decodeEvent(topic, newer).data).toEqual({ thing: 'a' });
  });

  it('loses only a malformed trace context', () => {
    const message = encodeEvent(topic, event);
    const decoded = decodeEvent(topic, { ...message, headers: { ...message.headers, traceparent: 'junk' } });
    expect(decoded).toEqual({ ...event, traceparent: undefined });
    expect(decoded).not.toHaveProperty('traceparent');
  });
});

describe('an event that breaks the rules', () => {
  it.each([
    ['data against the schema', { ...event, data: { thing: 1 } }, /thing-seen e-1 .*thing/],
    ['an unknown type', { ...event, type: 'thing-eaten' }, /no events of the type thing-eaten/],
    ['a type that every object has', { ...event, type: 'toString' }, /no events of the type toString/],
    ['no id', { ...event, id: '' }, /id/],
    ['a fractional sequence', { ...event, sequence: 0.5 }, /sequence/],
    ['a time that is none', { ...event, time: NaN }, /time/],
  ])('is refused by its publisher: %s', (_what, wrong, message) => {
    expect(() => encodeEvent(topic, wrong)).toThrow(MalformedEvent);
    expect(() => encodeEvent(topic, wrong)).toThrow(message);
  });

  it('is refused when it is too long, by its length in bytes', () => {
    const text = 'ß'.repeat(MAX_EVENT_BYTES / 2);
    const tooLong = { ...event, data: { thing: 'a', text } };
    expect(() => encodeEvent(topic, tooLong)).toThrow(EventTooLarge);
    expect(() => encodeEvent(topic, tooLong)).toThrow(
      /event e-1 of test.things is \d+ bytes long; the limit is 262144/,
    );
  });

  const message = encodeEvent(topic, event);
  it.each([
    ['another version', { ...message, headers: { ...message.headers, ce_specversion: '2.0' } }],
    ['no headers at all', { ...message, headers: {} }],
    ['a type that every object has', { ...message, headers: { ...message.headers, ce_type: 'constructor' } }],
    ['another format', { ...message, headers: { ...message.headers, 'content-type': 'text/plain' } }],
    ['a sequence that is none', { ...message, headers: { ...message.headers, ce_sequence: '-1' } }],
    ['a time that is none', { ...message, headers: { ...message.headers, ce_time: 'yesterday' } }],
    ['no value', { ...message, value: null }],
    ['half of its JSON', { ...message, value: message.value.subarray(0, 5) }],
    ['data against the schema', { ...message, value: Buffer.from('[]') }],
  ])('is recognised by its reader: %s', (_what, wrong) => {
    expect(() => decodeEvent(topic, wrong)).toThrow(MalformedEvent);
  });

  it('is described without quoting its data', () => {
    const secret = { ...message, value: Buffer.from('{"thing":{"secret":"hunter2"}}') };
    expect(() => decodeEvent(topic, secret)).toThrow(/thing/);
    expect(() => decodeEvent(topic, secret)).not.toThrow(/hunter2/);
  });
});
