/**
 * A process that kills itself with -9 at an exact point: as a publisher right after its acknowledgements, as
 * a consumer between the end of its handler's work and the commit. Its stdout lists the work done until then,
 * one id a line. Its instructions are passed as JSON.
 */
import { writeSync } from 'node:fs';
import { randomIds } from '@hindsight/kernel/ids.ts';
import {
  busOptions,
  type Location,
  thing,
  type ThingsBus,
  type ThingTopics,
  thingsTopic,
} from './harness.contract.ts';
import type { BusDeps } from '../../src/create-bus.ts';

/** Instructions of the process. */
export interface Orders {
  readonly role: 'publisher' | 'consumer';
  readonly location: Location;
  readonly topic: string;
  readonly partitions: number;
  /** It dies after this many different events. */
  readonly count: number;
}

/** A line of this length is written whole or, while the parent has not read on and the pipe is full, not at all. */
function report(id: string): void {
  for (;;) {
    try {
      writeSync(1, `${id}\n`);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function open(location: Location, options: BusDeps<ThingTopics>): Promise<ThingsBus> {
  if (location.adapter === 'sqlite') {
    const { createSqliteBus } = await import('../../src/sqlite.ts');
    return createSqliteBus({ ...options, path: location.path, ids: randomIds, leaseMs: 3_000 });
  }
  const { createKafkaBus } = await import('../../src/kafka.ts');
  return createKafkaBus({ ...options, brokers: [location.brokers], sessionTimeoutMs: 6_000 });
}

/** Several publishes are always under way, so that some of them are unacknowledged when it dies. */
async function publish(bus: ThingsBus, { topic, count }: Orders): Promise<void> {
  let acknowledged = 0;
  let n = 0;
  const publishOn = async (key: string): Promise<void> => {
    for (;;) {
      const event = thing(key, n++);
      await bus.publish(topic, [event]);
      report(event.id);
      if (++acknowledged === count) die();
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, key) => publishOn(`p${key}`)));
}

async function consume(bus: ThingsBus, { topic, count }: Orders): Promise<void> {
  // A group that has moved on by then gets some of them again.
  const handled = new Set<string>();
  await bus.subscribe({ group: 'g', topics: [topic], maxBatch: 10 }, async (events) => {
    for (const { id } of events) {
      report(id);
      if (handled.add(id).size === count) die();
    }
  });
}

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const bus = await open(orders.location, busOptions([thingsTopic(orders.topic, orders.partitions)]));
await (orders.role === 'publisher' ? publish : consume)(bus, orders);
