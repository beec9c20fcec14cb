import { describe, expect, it } from '@jest/globals';
import { decodeEvent, encodeEvent } from './envelope.ts';
import { deadLetterTopic } from './topic.ts';
import { TOPICS } from './topics.ts';

describe('the registry of topics', () => {
  it.each(Object.entries(TOPICS))('has %s complete', (name, topic) => {
    expect(topic.name).toBe(name);
    // Characters that Kafka allows, with room for the dead letters' suffix.
    expect(deadLetterTopic(name)).toMatch(/^[a-z0-9.-]{1,200}$/);
    expect(topic.partitions).toBeGreaterThan(0);
    expect(topic.retentionMs).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(Object.keys(topic.events)).not.toHaveLength(0);
    for (const text of [topic.keyMeaning, topic.guarantee]) expect(text).not.toBe('');
  });
});

describe('projects.changed', () => {
  const topic = TOPICS['projects.changed'];
  const changes = [
    'created',
    'key-created',
    'key-changed',
    'key-rotated',
    'key-revoked',
    'plan-changed',
    'alerts-changed',
    'suspended',
    'resumed',
    'deleted',
  ] as const;

  it('has an event for each change of a project, keyed by the project', () => {
    expect(Object.keys(topic.events)).toEqual(changes);
    for (const change of changes) {
      const data = { projectId: 'p-1', change, at: '2026-11-21T00:00:00.000Z' };
      const event = { type: change, id: '1', source: '/projects', time: 0, data };
      const message = encodeEvent(topic, event);
      expect(message.key).toBe('p-1');
      expect(decodeEvent(topic, message)).toEqual(event);
    }
  });

  it('does not say one thing in its type and another in its data', () => {
    const data = { projectId: 'p-1', change: 'created', at: '2026-11-21T00:00:00.000Z' };
    expect(() =>
      encodeEvent(topic, { type: 'suspended', id: '1', source: '/projects', time: 0, data }),
    ).toThrow(/change/);
  });
});
