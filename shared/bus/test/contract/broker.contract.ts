/**
 * For logs behind a server that stops answering, is cut off, or restarts: acknowledged events stay, in order.
 */
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { PublishFailed } from '../../src/errors.ts';
import {
  type BusHarness,
  type Collector,
  collector,
  outOfOrder,
  thing,
  type Things,
  type ThingsBus,
  untilSeen,
} from './harness.contract.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { busesOfEachCase } from './opened.contract.ts';

/** Faults of the server. */
export interface BrokerFaults {
  pause(): Promise<void>;
  resume(): void;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Stops it in order and starts it again. */
  restart(): Promise<void>;
  /** Kills it with -9 and starts it again. */
  crash(): Promise<void>;
  /** Deletes a topic, with its events. */
  remove(topic: string): Promise<void>;
}

/** Longer than the limit of a request (10 s), and than a silent member counts as alive. */
const PAUSED_MS = 12_000;
/** Longer than a silent member counts as alive (6 s); no request waits on a connection that is cut. */
const CUT_OFF_MS = 8_000;
/** Longer than a busy machine takes to find a broker that is back. */
const PATIENCE_MS = 120_000;
const KEYS = 10;

/** Publishes until stopped, in order for each key, and repeats failures, as an outbox's relay does. */
function startLoad(bus: ThingsBus, topic: Things): { stop(): Promise<string[]>; acknowledged: string[] } {
  const acknowledged: string[] = [];
  let running = true;
  const publishKey = async (key: string): Promise<void> => {
    for (let n = 0; running; n++) {
      const event = thing(key, n);
      for (let done = false; !done;) {
        done = await bus.publish(topic.name, [event]).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof PublishFailed)) throw error;
            return false;
          },
        );
      }
      acknowledged.push(event.id);
      await sleep(5);
    }
  };
  const keys = Array.from({ length: KEYS }, (_, key) => publishKey(`k${key}`));
  const stop = async (): Promise<string[]> => {
    running = false;
    await Promise.all(keys);
    return acknowledged;
  };
  return { stop, acknowledged };
}

export function describeBroker(
  harness: () => BusHarness,
  newTopic: (partitions?: number) => Things,
  faults: () => BrokerFaults,
): void {
  const open = busesOfEachCase(harness);

  /** Runs a load with a consumer through a fault, and some seconds before and after. */
  async function through(fault: () => Promise<void>): Promise<{ acknowledged: string[]; seen: Collector }> {
    const topic = newTopic(4);
    const [publisher, consumer] = [open(topic), open(topic)];
    const seen = collector();
    await consumer.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
    const load = startLoad(publisher, topic);
    await untilSeen(seen, 100);
    await fault();
    const before = load.acknowledged.length;
    await untilSeen(seen, seen.ids().length + 100);
    const acknowledged = await load.stop();
    expect(acknowledged.length).toBeGreaterThan(before);
    await untilSeen(seen, acknowledged.length);
    return { acknowledged, seen };
  }

  function expectAll({ acknowledged, seen }: { acknowledged: string[]; seen: Collector }): void {
    const ids = new Set(seen.ids());
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    expect(outOfOrder(seen.ids())).toEqual([]);
  }

  describe('a broker that is unavailable under load', () => {
    it('paused for a while: nothing acknowledged is lost, the order holds', async () => {
      expectAll(
        await through(async () => {
          await faults().pause();
          await sleep(PAUSED_MS);
          faults().resume();
        }),
      );
    });

    it('cut off for a while: nothing acknowledged is lost, the order holds', async () => {
      expectAll(
        await through(async () => {
          await faults().cut();
          await sleep(CUT_OFF_MS);
          await faults().mend();
        }),
      );
    });

    it('restarted: nothing acknowledged is lost, the order holds', async () => {
      expectAll(await through(() => faults().restart()));
    });

    it('killed and restarted: nothing acknowledged is lost, the order holds', async () => {
      expectAll(await through(() => faults().crash()));
    });

    it('without a topic that was there: it is made again, and nothing that follows is lost, although a process begins meanwhile', async () => {
      const topic = newTopic(1);
      const [bus, reader] = [open(topic), open(topic)];
      const seen = collector();
      const busy = Promise.withResolvers<void>();
      await reader.subscribe({ group: 'g', topics: [topic.name] }, async (events, context) => {
        await seen.handler(events, context);
        await busy.promise;
      });
      const things = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, n) => thing('a', from + n));
      await bus.publish(topic.name, things(1, 5));
      await untilSeen(seen, 1);
      await faults().remove(topic.name);
      let said = '';
      const destination = { write: (line: string) => void (said += line) };
      const logger = createLogger({ name: 'test', level: 'warn', destination });
      const begins = open(topic, { publishTimeoutMs: PATIENCE_MS, logger });
      let isPublished = false;
      const publishing = begins.publish(topic.name, things(6, 15)).then(() => (isPublished = true));
      // A reader that has only just read goes on where it was, if the topic is back by then.
      await until('it has looked', () => isPublished || said.includes('topics are missing'));
      busy.resolve();
      await publishing;
      await until('all that follows', () => things(6, 15).every(({ id }) => seen.ids().includes(id)));
      expect(outOfOrder(seen.ids())).toEqual([]);
    });

    it('fails publishes and readiness in time', async () => {
      const topic = newTopic(1);
      const bus = open(topic, { publishTimeoutMs: 2_000 });
      await untilItWorks('it is published', () => bus.publish(topic.name, [thing('a', 1)]));
      await untilItWorks('the bus is ready', () => bus.check());
      await faults().pause();
      try {
        const begun = performance.now();
        await expect(bus.publish(topic.name, [thing('a', 2)])).rejects.toThrow(PublishFailed);
        // The broker itself answers once it is resumed.
        expect(performance.now() - begun).toBeLessThan(60_000);
        await expect(bus.check()).rejects.toThrow();
      } finally {
        faults().resume();
      }
      await untilItWorks('it is published', () => bus.publish(topic.name, [thing('a', 3)]));
    });

    it('does not keep a process from starting: it publishes and reads once the broker is up', async () => {
      const topic = newTopic(1);
      await faults().cut();
      const bus = open(topic, { publishTimeoutMs: PATIENCE_MS });
      const seen = collector();
      const subscribing = bus.subscribe({ group: 'g', topics: [topic.name] }, seen.handler);
      const publishing = bus.publish(topic.name, [thing('a', 1)]);
      await sleep(3_000);
      await faults().mend();
      await publishing;
      await subscribing;
      await untilSeen(seen, 1);
    });
  });
}
