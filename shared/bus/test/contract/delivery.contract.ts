/** Failing handlers and malformed messages: retried, then dead-lettered, never skipped, never blocking for good. */
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventsRefused, HandlerUnavailable } from '../../src/errors.ts';
import type { DeadLetter } from '../../src/port.ts';
import {
  type BusHarness,
  collector,
  thing,
  type Things,
  type ThingsBus,
  untilSeen,
} from './harness.contract.ts';
import { readDeadLetters, untilDeadLetters } from '../support/dead-letters.ts';
import { busesOfEachCase } from './opened.contract.ts';

export function describeDelivery(harness: () => BusHarness, newTopic: (partitions?: number) => Things): void {
  const open = busesOfEachCase(harness);
  let topic: Things;
  let bus: ThingsBus;
  const start = (): void => {
    topic = newTopic(1);
    bus = open(topic);
  };

  const ids = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, i) => `a-${from + i}`);
  const publish = (from: number, to: number): Promise<void> =>
    bus.publish(
      topic.name,
      ids(from, to).map((_, i) => thing('a', from + i)),
    );
  const untilDead = (count: number): Promise<DeadLetter[]> => untilDeadLetters(bus, topic.name, count);

  describe('an event that its producer dead-letters', () => {
    it('is a dead letter with the reason, under another type, and was never on the topic', async () => {
      start();
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      const verdict = { reason: 'its signature is unknown', producer: 'tester', type: 'thing-unverified' };
      await bus.publishDeadLetter(topic.name, thing('a', 1), verdict);
      await publish(2, 2);
      const deadLetters = await untilDead(1);
      expect(deadLetters).toHaveLength(1);
      await untilSeen(seen, 1);
      expect(seen.ids()).toEqual(ids(2, 2));
      expect(deadLetters[0]).toMatchObject({ key: 'a', reason: verdict.reason, group: 'tester' });
      expect(deadLetters[0]?.headers).toMatchObject({ ce_type: 'thing-unverified', ce_id: 'a-1' });
    });
  });

  describe('a handler that fails', () => {
    it('gets the same events again, in order, until it succeeds', async () => {
      start();
      await publish(1, 5);
      const seen = collector();
      let failures = 0;
      await bus.subscribe({ group: 'g', topics: [topic.name] }, async (batch, context) => {
        if (batch.some(({ id }) => id === 'a-3') && failures++ < 2) throw new Error('not yet');
        await seen.handler(batch, context);
      });
      await untilSeen(seen, 5);
      expect(seen.ids()).toEqual(ids(1, 5));
    });

    it('because a dependency is unavailable gets them until it is back; nothing is dead-lettered', async () => {
      start();
      await publish(1, 3);
      const seen = collector();
      let calls = 0;
      await bus.subscribe({ group: 'g', topics: [topic.name] }, async (batch, context) => {
        if (calls++ < 8) throw new HandlerUnavailable('the store is unavailable');
        await seen.handler(batch, context);
      });
      await untilSeen(seen, 3);
      expect(seen.ids()).toEqual(ids(1, 3));
      expect(await readDeadLetters(bus, topic.name)).toEqual([]);
    });
  });

  describe('an event that cannot be handled', () => {
    it('is dead-lettered with the reason, its headers and its position; the others are handled', async () => {
      start();
      await publish(1, 20);
      const seen = collector();
      const poison: string[] = [];
      await bus.subscribe({ group: 'g', topics: [topic.name] }, async (batch, context) => {
        const bad = batch.find(({ id }) => id === 'a-7');
        if (bad) poison.push(bad.offset);
        if (bad) throw new Error('seven is too many');
        await seen.handler(batch, context);
      });
      await untilSeen(seen, 19);
      await publish(21, 25);
      await untilSeen(seen, 24);
      expect(seen.ids()).toEqual(ids(1, 25).filter((id) => id !== 'a-7'));
      const deadLetters = await untilDead(1);
      expect(deadLetters).toMatchObject([
        {
          key: 'a',
          reason: 'Error: seven is too many',
          group: 'g',
          from: { topic: topic.name, partition: 0, offset: poison[0] },
          headers: { ce_id: 'a-7', ce_type: 'seen' },
        },
      ]);
      expect(JSON.parse(deadLetters[0]!.value!.toString())).toEqual({ thing: 'a', n: 7 });
      expect(Math.abs(Date.now() - deadLetters[0]!.at)).toBeLessThan(600_000);
    });

    it('is dead-lettered at once if the handler refuses it; the others of its batch are not handled again', async () => {
      start();
      await publish(1, 20);
      const seen = collector();
      const refused = new Set(['a-3', 'a-20']);
      await bus.subscribe({ group: 'g', topics: [topic.name] }, async (batch, context) => {
        const good = batch.filter(({ id }) => !refused.has(id));
        await seen.handler(good, context);
        const bad = batch.filter((event) => !good.includes(event));
        if (bad.length > 0) throw new EventsRefused(new Map(bad.map((event) => [event, `not ${event.id}`])));
      });
      const deadLetters = await untilDead(2);
      await publish(21, 22);
      await untilSeen(seen, 20);
      expect(seen.ids()).toEqual(ids(1, 22).filter((id) => !refused.has(id)));
      expect(deadLetters.map(({ reason }) => reason)).toEqual([
        'EventsRefused: not a-3',
        'EventsRefused: not a-20',
      ]);
    });

    it('may also be a malformed message', async () => {
      start();
      await publish(1, 1);
      await harness().writeRaw(topic.name, { junk: 'header' }, 'no JSON');
      await publish(2, 2);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await untilSeen(seen, 2);
      const deadLetters = await untilDead(1);
      expect(deadLetters).toMatchObject([
        { headers: { junk: 'header' }, reason: expect.stringContaining('MalformedEvent') },
      ]);
      expect(deadLetters[0]!.value!.toString()).toBe('no JSON');
    });

    it('holds the offset while its dead letter cannot be written, even across a restart', async () => {
      start();
      await publish(1, 3);
      const allow = await harness().refuseDeadLetters(topic.name);
      const seen = collector();
      const handler = async (...[batch, context]: Parameters<typeof seen.handler>): Promise<void> => {
        if (batch.some(({ id }) => id === 'a-2')) throw new Error('poison');
        await seen.handler(batch, context);
      };
      await bus.subscribe({ group: 'g', topics: [topic.name] }, handler);
      await untilSeen(seen, 1);
      await sleep(1_500);
      expect(seen.ids()).toEqual(['a-1']);
      await bus.close();

      bus = open(topic);
      await bus.subscribe({ group: 'g', topics: [topic.name] }, handler);
      await sleep(1_000);
      expect(seen.ids()).toEqual(['a-1']);
      await allow();
      await untilSeen(seen, 2);
      expect(seen.ids()).toEqual(['a-1', 'a-3']);
      const deadLetters = await untilDead(1);
      expect(deadLetters.map(({ headers }) => headers.ce_id)).toEqual(['a-2']);
    });
  });
}
