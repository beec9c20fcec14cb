/** The metering service is killed, restarted and duplicated, on real servers: every event is counted once. */
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { MonthUsage, UsageStore } from '@hindsight/usage/ports.ts';
import { auditMonth } from '@hindsight/usage/reconcile.ts';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import type { Db, Document } from 'mongodb';
import { runAdmin } from '../../support/admin.ts';
import { expelMembers } from '../../support/expel-members.ts';
import { runService, type RunningService } from '../../support/service-process.ts';
import type { World } from './world.ts';

const KILLS = 3;
/** For each instance, and each of them is sent twice. */
const EVENTS = 1_000;
const AT_ONCE = 250;
/** Requests in an event of `recorded`. */
const IN_EVENT = 6;
const COUNTED_WITHIN_MS = 600_000;
/** Each look reads every project. */
const LOOK_EVERY_MS = 200;
/** Everything is of this moment's month, which may end meanwhile. */
const BEGUN = Date.now();

/** An order as the service publishes it; consumers check only its shape. */
function receivedOrder(projectId: string, source: string, sequence: number) {
  const orderHash = `0x${String(sequence).padStart(64, '0')}`;
  const address = `0x${'1'.repeat(40)}`;
  const receivedAt = new Date(BEGUN).toISOString();
  return {
    type: 'order-received' as const,
    id: `1:${orderHash}`,
    source,
    sequence,
    time: Date.now(),
    data: {
      chainId: 1,
      network: 'eth-mainnet',
      orderHash,
      projectId,
      receivedAt,
      payload: {
        orderHash,
        createdAt: receivedAt,
        signature: '0x',
        orderStatus: 'open' as const,
        encodedOrder: '0x',
        chainId: 1,
      },
      order: {
        type: 'Dutch_V2',
        reactor: address,
        swapper: address,
        nonce: '1',
        deadline: 1,
        additionalValidationContract: address,
        additionalValidationData: '0x',
        input: { token: address },
        outputs: [],
        filler: null,
        cosigner: null,
        auction: {},
      },
    },
  };
}

/** To be called in a `describe`. Nothing else counts meanwhile: the service's groups have one name everywhere. */
export function describeCounting(world: () => World): void {
  const day = dayOf(BEGUN);
  const month = day.slice(0, 7);
  const projects = Array.from({ length: 40 }, () => randomUUID());
  const started: RunningService[] = [];
  let mongodbUrl: string;
  let kafka: World['kafka'];
  let bus: World['bus'];
  let lifecycle: World['lifecycle'];
  let usage: UsageStore;

  const startMetering = async (): Promise<RunningService> => {
    const metering = await runService('metering', { MONGODB_URL: mongodbUrl, KAFKA_BROKERS: kafka.brokers });
    started.push(metering);
    return metering;
  };

  beforeAll(async () => {
    ({ kafka, bus, lifecycle } = world());
    mongodbUrl = withDatabase(world().mongodb, `metering-${randomUUID()}`);
    ({ usage } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle));
  });
  afterEach(() => Promise.all(started.splice(0).map((metering) => metering.end('SIGKILL'))));

  const recorded = (producer: string, sequence: number) => ({
    type: 'usage-recorded' as const,
    id: `${producer}:${sequence}`,
    source: `/gateway/${producer}`,
    time: Date.now(),
    sequence,
    data: {
      lane: producer,
      entries: [0, 1, 2].map((i) => ({
        projectId: projects[(sequence * 7 + i * 13) % projects.length]!,
        day,
        endpoint: 'balance-single',
        requests: 1 + i,
      })),
    },
  });
  /** On a busy machine the store may not answer in time: then the read is repeated. */
  const read = async (project: string): Promise<MonthUsage> => {
    let found: MonthUsage | undefined;
    await until('the store answers', async () => {
      found = await usage.read(project, month).catch((error: unknown) => {
        if (error instanceof StoreUnavailable) return undefined;
        throw error;
      });
      return found !== undefined;
    });
    return found!;
  };
  const requests = async (): Promise<number> => {
    const months = await Promise.all(projects.map(read));
    return months.reduce((sum, one) => sum + one.requests, 0);
  };
  const untilRead = (what: string, count: () => Promise<number>, least: number): Promise<void> =>
    until(what, async () => (await count()) >= least, COUNTED_WITHIN_MS, LOOK_EVERY_MS);
  const untilCounted = (least: number): Promise<void> =>
    untilRead(`${least} requests counted`, requests, least);
  /** Looks often: it is to be hurt in the middle. */
  const untilCounting = (before: number): Promise<void> =>
    until('it counts', async () => (await requests()) > before, COUNTED_WITHIN_MS);
  /** Each event twice, as a gateway sends it again after a crash. */
  const publish = async (producers: readonly string[], first: number, count: number): Promise<void> => {
    for (let at = first; at < first + count; at += AT_ONCE) {
      const events = Array.from({ length: AT_ONCE }, (_, i) =>
        recorded(producers[(at + i) % producers.length]!, at + i),
      );
      await bus.publish('usage.recorded', events);
      await bus.publish('usage.recorded', events);
    }
  };

  it('counts each event once although it is killed repeatedly and all events are sent twice', async () => {
    const producers = [randomUUID(), randomUUID(), randomUUID()];
    const countedAtKill: number[] = [];
    for (let instance = 0; instance < KILLS; instance++) {
      const before = await requests();
      const metering = await startMetering();
      // The first half arrives while it counts, the second one while no instance runs.
      const publishing = publish(producers, instance * EVENTS, EVENTS / 2);
      await untilCounting(before);
      await metering.end('SIGKILL');
      await expelMembers(kafka.brokers);
      await publishing;
      await publish(producers, instance * EVENTS + EVENTS / 2, EVENTS / 2);
      countedAtKill.push(await requests());
    }
    const sent = KILLS * EVENTS * IN_EVENT;
    process.stdout.write(`metering killed: ${JSON.stringify({ sent, countedAtKill })}\n`);
    const metering = await startMetering();
    await untilCounted(sent);
    // Once these are counted, so is everything before: they come last for each producer.
    await publish(producers, KILLS * EVENTS, AT_ONCE);
    await untilCounted(sent + AT_ONCE * IN_EVENT);
    await metering.end('SIGTERM');
    expect(await requests()).toBe(sent + AT_ONCE * IN_EVENT);
    const { differences } = await auditMonth(usage, month);
    // These producers never leased the units that they count.
    expect(differences.filter(({ comparison }) => comparison !== 'counted and held')).toEqual([]);
  });

  it('counts once when an instance is paused, loses its partitions, and continues with what it had read', async () => {
    const before = await requests();
    const producers = [randomUUID(), randomUUID(), randomUUID()];
    const zombie = await startMetering();
    const publishing = publish(producers, 0, EVENTS);
    await untilCounting(before);
    zombie.signal('SIGSTOP');
    await publishing;
    await expelMembers(kafka.brokers);
    await publish(producers, EVENTS, EVENTS);
    const next = await startMetering();
    // The other one has all partitions, as after the session of the paused one has ended.
    await untilCounted(before + 2 * EVENTS * IN_EVENT);
    zombie.signal('SIGCONT');
    await publish(producers, 2 * EVENTS, EVENTS);
    await untilCounted(before + 3 * EVENTS * IN_EVENT);
    await Promise.all([zombie.end('SIGTERM'), next.end('SIGTERM')]);
    expect(await requests()).toBe(before + 3 * EVENTS * IN_EVENT);
  });

  it('counts an order once for its project and month, however often it is published', async () => {
    const [project = ''] = projects;
    const metering = await startMetering();
    const source = `/orders/${randomUUID()}`;
    const events = Array.from({ length: 30 }, (_, sequence) => receivedOrder(project, source, sequence));
    const orders = async (): Promise<number> => (await read(project)).orders;
    for (let round = 0; round < 3; round++) await bus.publish('orders.received', events);
    await untilRead('30 orders', orders, 30);
    await bus.publish('orders.received', [...events, receivedOrder(project, source, 30)]);
    await untilRead('31 orders', orders, 31);
    await metering.end('SIGTERM');
    expect(await orders()).toBe(31);
    const others = await Promise.all(projects.slice(1).map(read));
    expect(others.reduce((sum, one) => sum + one.orders, 0)).toBe(0);
  });

  it('counts right again after MongoDB was put back: Kafka has what was counted since', async () => {
    const limit = 1_000;
    const [project, long, short] = [randomUUID(), randomUUID(), randomUUID()];
    const source = `/orders/${randomUUID()}`;
    const entry = { projectId: project, day, endpoint: 'balance-single', requests: 10 };
    const spend = async (producer: string, first: number, count: number): Promise<void> => {
      const waiting = Array<number>(count).fill(10);
      expect((await usage.take({ project, month, producer, limit, waiting, atHand: 0 })).units).toBe(
        count * 10,
      );
      const events = Array.from({ length: count }, (_, i) => ({
        ...recorded(producer, first + i),
        data: { lane: producer, entries: [entry] },
      }));
      await bus.publish('usage.recorded', events);
    };
    const order = (sequence: number) =>
      bus.publish('orders.received', [receivedOrder(project, source, sequence)]);
    const counted = async (): Promise<[requests: number, orders: number]> => {
      const { requests: units, orders } = await read(project);
      return [units, orders];
    };
    const untilBoth = (units: number, orders: number): Promise<void> =>
      until(`${units} units and ${orders} orders`, async () => {
        const [some, many] = await counted();
        return some >= units && many >= orders;
      });

    let metering = await startMetering();
    await spend(long, 0, 10);
    await order(0);
    await untilBoth(100, 1);
    const copiedAt = Date.now();
    const store = await openMongodb({ url: mongodbUrl }, [], lifecycle);
    const copy = await copyOf(store.db);

    await spend(long, 10, 20);
    await spend(short, 0, 30);
    const closing = { type: 'lane-closed', id: `${short}:closed`, source: `/gateway/${short}` } as const;
    await bus.publish('usage.recorded', [{ ...closing, time: Date.now(), data: { lane: short } }]);
    await order(1);
    await untilBoth(600, 2);
    const all = await requests();
    await metering.end('SIGTERM');

    await putBack(store.db, copy);
    expect(await counted()).toEqual([100, 1]);
    for (const [group, topic] of [
      ['metering', 'usage.recorded'],
      ['metering-orders', 'orders.received'],
    ] as const)
      await rewind(kafka.brokers, { group, topic, to: copiedAt - 60_000 });
    metering = await startMetering();
    await untilBoth(600, 2);
    await order(2);
    await spend(long, 30, 1);
    await untilBoth(610, 3);
    await metering.end('SIGTERM');
    expect(await counted()).toEqual([610, 3]);
    expect(await requests()).toBe(all);

    // The store knows no lease of the time since: unless told, its limit would be too high by them.
    const env = { MONGODB_URL: mongodbUrl, SECRETS_KEY: 'a secret of some length', DATA_DIR: '/nowhere' };
    const { code, stdout } = await runAdmin(env, 'backup', 'finish', '--json');
    const finished = JSON.parse(stdout) as Record<string, number>;
    expect(code).toBe(0);
    expect(finished['order sequences left out']).toBeGreaterThan(copiedAt);
    expect((await read(project)).taken).toBe(610);
    const rest = { project, month, producer: randomUUID(), limit, atHand: 0 };
    const left = await usage.take({ ...rest, waiting: Array<number>(1_000).fill(1) });
    expect(left).toMatchObject({ units: 390, unclaimed: 0 });
    expect((await auditMonth(usage, month)).differences).toEqual([]);
  });
}

/** All documents, as a dump has them. */
async function copyOf(db: Db): Promise<Map<string, Document[]>> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name);
  const documents = names.map(async (name) => [name, await db.collection(name).find().toArray()] as const);
  return new Map(await Promise.all(documents));
}

async function putBack(db: Db, copy: ReadonlyMap<string, Document[]>): Promise<void> {
  for (const { name } of await db.listCollections().toArray()) await db.collection(name).deleteMany({});
  for (const [name, documents] of copy) {
    if (documents.length > 0) await db.collection(name).insertMany(documents);
  }
}

/** Lets a group without members go on from a time. */
async function rewind(
  brokers: string,
  { group, topic, to }: { readonly group: string; readonly topic: string; readonly to: number },
): Promise<void> {
  const admin = new Kafka({ brokers: [brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, to);
    // The coordinator may still hold the members that have just left.
    await untilItWorks('the group is empty', () => admin.setOffsets({ groupId: group, topic, partitions }));
  } finally {
    await admin.disconnect();
  }
}
