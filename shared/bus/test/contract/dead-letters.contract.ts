/** Dead letters as an operator uses them: read to their end without a subscription, replayed unchanged. */
import { describe, expect, it } from '@jest/globals';
import { GroupInUse } from '../../src/errors.ts';
import type { DeadLetter } from '../../src/port.ts';
import {
  type BusHarness,
  collector,
  thing,
  type Things,
  type ThingsBus,
  untilSeen,
} from './harness.contract.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { busesOfEachCase } from './opened.contract.ts';

const WITHIN = { withinMs: 120_000 };

export function describeDeadLetters(
  harness: () => BusHarness,
  newTopic: (partitions?: number) => Things,
): void {
  const open = busesOfEachCase(harness);
  let topic: Things;
  let bus: ThingsBus;
  const start = (): void => {
    topic = newTopic(1);
    bus = open(topic);
  };

  const publish = async (type: string, ...numbers: number[]): Promise<void> => {
    for (const n of numbers) {
      const event = { ...thing('a', n), sequence: n };
      await bus.publishDeadLetter(topic.name, event, { reason: 'for the test', producer: 'tester', type });
    }
  };
  /** Takes at most this many, with or without a group. */
  const read = async (group?: string, max = Infinity): Promise<DeadLetter[]> => {
    const letters: DeadLetter[] = [];
    await bus.readDeadLetters(topic.name, { ...WITHIN, group }, async (batch) => {
      const taken = batch.slice(0, max - letters.length);
      letters.push(...taken);
      return taken.length;
    });
    return letters;
  };
  const ids = (letters: readonly DeadLetter[]): unknown[] => letters.map(({ headers }) => headers.ce_id);

  describe('dead letters that are read to their end', () => {
    it('are none if there are none', async () => {
      start();
      expect(await read()).toEqual([]);
      expect(await read('g')).toEqual([]);
    });

    it('are complete each time, in order', async () => {
      start();
      await publish('seen', 1, 2, 3);
      expect(ids(await read())).toEqual(['a-1', 'a-2', 'a-3']);
      expect(ids(await read())).toEqual(['a-1', 'a-2', 'a-3']);
    });

    it('are, for a group, those that it has not taken yet', async () => {
      start();
      await publish('seen', 1, 2, 3);
      expect(ids(await read('g', 2))).toEqual(['a-1', 'a-2']);
      expect(ids(await read('g'))).toEqual(['a-3']);
      expect(await read('g')).toEqual([]);
      await publish('seen', 4);
      expect(ids(await read('g'))).toEqual(['a-4']);
    });

    it('are read for a group by one at a time: a second one is refused at once', async () => {
      start();
      await publish('seen', 1, 2, 3);
      const [taking, enough] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = bus.readDeadLetters(topic.name, { ...WITHIN, group: 'g' }, async (batch) => {
        taking.resolve();
        await enough.promise;
        return batch.length;
      });
      await Promise.race([taking.promise, first]);
      await expect(read('g')).rejects.toThrow(GroupInUse);
      expect(ids(await read())).toEqual(['a-1', 'a-2', 'a-3']);
      enough.resolve();
      await first;
      expect(await read('g')).toEqual([]);
    });

    it('are taken once by two that begin at the same time', async () => {
      start();
      await publish('seen', 1, 2, 3);
      const taken: DeadLetter[] = [];
      const both = [0, 1].map(() =>
        bus.readDeadLetters(topic.name, { ...WITHIN, group: 'g' }, async (batch) => {
          taken.push(...batch);
          return batch.length;
        }),
      );
      for (const outcome of await Promise.allSettled(both))
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(GroupInUse);
      expect(ids(taken)).toEqual(['a-1', 'a-2', 'a-3']);
    });

    it('are not taken when taking them fails', async () => {
      start();
      await publish('seen', 1);
      const failing = bus.readDeadLetters(topic.name, { ...WITHIN, group: 'g' }, () =>
        Promise.reject(new Error('no hands free')),
      );
      await expect(failing).rejects.toThrow('no hands free');
      expect(ids(await read('g'))).toEqual(['a-1']);
    });
  });

  describe('dead letters that are replayed', () => {
    it('are on their topic again unchanged; what is not an event of the topic is skipped', async () => {
      start();
      const seen = collector();
      await bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      await publish('seen', 1);
      await publish('thing-unverified', 2);
      const letters = await read();
      expect(letters).toHaveLength(2);
      expect(await bus.replay(topic.name, letters)).toBe(1);
      await bus.publish(topic.name, [thing('a', 3)]);
      await untilSeen(seen, 2);
      await until('both', () => seen.ids().includes('a-3'));
      expect(seen.events[0]).toMatchObject({ ...thing('a', 1), sequence: 1, topic: topic.name });
      expect(seen.ids()).toEqual(['a-1', 'a-3']);
      expect(await read()).toHaveLength(2);
    });
  });
}
