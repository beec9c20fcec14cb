/** Published events are kept, in order, and every group sees them. */
import { describe, expect, it } from '@jest/globals';
import { EventTooLarge, MalformedEvent } from '@hindsight/events/envelope.ts';
import { BusClosed } from '../../src/errors.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import {
  type BusHarness,
  collector,
  outOfOrder,
  thing,
  type Things,
  untilSeen,
  untilWaiting,
} from './harness.contract.ts';
import { busesOfEachCase } from './opened.contract.ts';

export function describeLog(harness: () => BusHarness, newTopic: (partitions?: number) => Things): void {
  const open = busesOfEachCase(harness);

  describe('a published event', () => {
    it('arrives unchanged, with its position', async () => {
      const topic = newTopic(1);
      const bus = open(topic);
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const event = { ...thing('ä', 1), sequence: 42, traceparent };
      await bus.publish(topic.name, [event, thing('ä', 2)]);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await untilSeen(seen, 2);
      const [done] = await untilWaiting(bus, 'g', topic, 0);
      const [left] = await untilWaiting(bus, 'another', topic, 2);
      expect(done).toMatchObject({ partition: 0, next: left?.end, end: left?.end });
      expect(left!.next).toBeLessThan(left!.end);
      expect(seen.events[0]).toEqual({
        ...event,
        topic: topic.name,
        partition: 0,
        offset: expect.stringMatching(/^\d+$/),
      });
      expect(Number(seen.events[1]?.offset)).toBeGreaterThan(Number(seen.events[0]?.offset));
    });

    it('keeps its place in the order of its key under concurrent publishes', async () => {
      const topic = newTopic(4);
      const bus = open(topic);
      const published: Promise<void>[] = [];
      for (let n = 0; n < 100; n++) {
        for (let key = 0; key < 20; key++) published.push(bus.publish(topic.name, [thing(`k${key}`, n)]));
      }
      await Promise.all(published);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await untilSeen(seen, 2_000);
      expect(outOfOrder(seen.ids())).toEqual([]);
      expect(new Set(seen.events.map(({ partition }) => partition)).size).toBeGreaterThan(1);
    });

    it('is seen by each group: a new one starts at the beginning, an old one where it was', async () => {
      const topic = newTopic();
      const bus = open(topic);
      await bus.publish(topic.name, [thing('a', 1), thing('b', 1)]);
      const [first, second, again] = [collector(), collector(), collector()];
      const one = await bus.subscribe({ group: 'one', topics: [topic.name] }, first.handler);
      await untilSeen(first, 2);
      // Delivery is at least once: events that are not committed come again.
      await untilWaiting(bus, 'one', topic, 0);
      await one.close();
      await bus.publish(topic.name, [thing('c', 1)]);
      await bus.subscribe({ group: 'two', topics: [topic.name] }, second.handler);
      await bus.subscribe({ group: 'one', topics: [topic.name] }, again.handler);
      await untilSeen(second, 3);
      await untilSeen(again, 1);
      expect(again.events.map(({ id }) => id)).toEqual(['c-1']);
      expect(first.events).toHaveLength(2);
    });

    it('may come from one of several topics, each with its own positions', async () => {
      const topics = [newTopic(1), newTopic(1)] as const;
      const bus = open(topics);
      for (const topic of topics) await bus.publish(topic.name, [thing(topic.name, 1)]);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: topics.map(({ name }) => name) }, seen.handler);
      await untilSeen(seen, 2);
      for (const event of seen.events) expect(event.data.thing).toBe(event.topic);
    });

    it('may be one of 10,000 of 1 KB', async () => {
      const topic = newTopic(4);
      const bus = open(topic);
      const text = 'x'.repeat(1_000);
      const events = Array.from({ length: 10_000 }, (_, n) => thing(`k${n % 50}`, n, text));
      await bus.publish(topic.name, events.slice(0, 5_000));
      await Promise.all(events.slice(5_000).map((event) => bus.publish(topic.name, [event])));
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await untilSeen(seen, 10_000);
      expect(seen.ids()).toHaveLength(10_000);
      expect(outOfOrder(seen.ids())).toEqual([]);
    });
  });

  describe('an invalid publish', () => {
    it('is refused as a whole if an event is too long or breaks the schema', async () => {
      const topic = newTopic(1);
      const bus = open(topic);
      const tooLong = thing('long', 1, 'x'.repeat(300_000));
      await expect(bus.publish(topic.name, [thing('a', 1), tooLong])).rejects.toThrow(EventTooLarge);
      const wrong = { ...thing('a', 2), data: { thing: 'a', n: 'two' as unknown as number } };
      await expect(bus.publish(topic.name, [thing('a', 3), wrong])).rejects.toThrow(MalformedEvent);
      await expect(bus.publish('no.such.topic', [thing('a', 1)])).rejects.toThrow(MalformedEvent);
      await bus.publish(topic.name, [thing('just-right', 1, 'x'.repeat(260_000))]);
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await untilSeen(seen, 1);
      expect(seen.ids()).toEqual(['just-right-1']);
    });

    it('is any publish once the bus is closed', async () => {
      const topic = newTopic();
      let bus = open(topic);
      // A bus that is closed waits for what is under way for a while: a busy log may take longer.
      await untilItWorks('the last one is published', async () => {
        bus = open(topic);
        // The first publish makes the topic.
        await bus.publish(topic.name, [thing('a', 1)]);
        const last = bus.publish(topic.name, [thing('a', 2)]);
        last.catch(() => undefined);
        await bus.close();
        await last;
      });
      await expect(bus.publish(topic.name, [thing('a', 3)])).rejects.toThrow(BusClosed);
      const subscribing = bus.subscribe({ group: 'g', topics: [topic.name] }, collector().handler);
      await expect(subscribing).rejects.toThrow(BusClosed);
    });
  });
}
