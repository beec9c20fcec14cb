/** The metering dies, comes again and meets itself, on real servers: every event is counted once. */
import { startKafka, type KafkaServer } from '@hindsight/deploy/servers/kafka.ts';
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { openBus } from '@hindsight/shared/bus/open.ts';
import type { EventBus } from '@hindsight/shared/bus/port.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { dayOf } from '@hindsight/shared/usage/calendar.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import type { UsageStore } from '@hindsight/shared/usage/ports.ts';
import { auditMonth } from '@hindsight/shared/usage/reconcile.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, type RunningService } from '../support/service-process.ts';

// The groups of the metering have one name everywhere: a broker of our own.
const needs = { env: process.env, shared: ['mongodb'], own: ['kafka'] } as const;
const KILLS = 3;
/** Of each life, and each of them is sent twice. */
const EVENTS = 3_000;
const AT_ONCE = 500;
/** Requests that `recorded` tells of. */
const IN_EVENT = 6;

/** An order as the service publishes it; who reads it checks its shape only. */
function receivedOrder(projectId: string, source: string, sequence: number) {
  const orderHash = `0x${String(sequence).padStart(64, '0')}`;
  const address = `0x${'1'.repeat(40)}`;
  const receivedAt = new Date().toISOString();
  return {
    type: 'order-received' as const,
    id: `1:${orderHash}`,
    ...{ source, sequence },
    time: Date.now(),
    data: {
      ...{ chainId: 1, network: 'eth-mainnet', orderHash, projectId, receivedAt },
      payload: {
        ...{ orderHash, createdAt: receivedAt, signature: '0x', orderStatus: 'open' as const },
        ...{ encodedOrder: '0x', chainId: 1 },
      },
      order: {
        ...{ type: 'Dutch_V2', reactor: address, swapper: address, nonce: '1', deadline: 1 },
        ...{ additionalValidationContract: address, additionalValidationData: '0x' },
        ...{ input: { token: address }, outputs: [], filler: null, cosigner: null, auction: {} },
      },
    },
  };
}

await describeOnServers('the metering', needs, ({ mongodb }) => {
  const day = dayOf(Date.now());
  const month = day.slice(0, 7);
  const mongodbUrl = withDatabase(mongodb.address, `metering-${randomUUID()}`);
  const projects = Array.from({ length: 40 }, () => randomUUID());
  let kafka: KafkaServer;
  let settings: Record<string, string>;
  let lifecycle: Lifecycle;
  let bus: EventBus;
  let usage: UsageStore;
  const started: RunningService[] = [];

  const startMetering = async (): Promise<RunningService> => {
    const metering = await runService('metering', settings);
    started.push(metering);
    return metering;
  };

  beforeAll(async () => {
    kafka = await startKafka();
    settings = { MONGODB_URL: mongodbUrl, KAFKA_BROKERS: kafka.brokers };
    const logger = createLogger({ name: 'test', level: 'silent' });
    lifecycle = createLifecycle(logger);
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    ({ bus } = await openBus({ dataDir: '/nowhere', brokers: [kafka.brokers] }, platform));
    ({ usage } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(started.map((metering) => metering.end('SIGKILL')));
    await lifecycle?.shutdown('end of test');
    await kafka?.stop();
  }, 60_000);

  const recorded = (lane: string, sequence: number) => ({
    type: 'usage-recorded' as const,
    id: `${lane}:${sequence}`,
    source: `/gateway/${lane}`,
    time: Date.now(),
    sequence,
    data: {
      lane,
      entries: [0, 1, 2].map((i) => ({
        projectId: projects[(sequence * 7 + i * 13) % projects.length]!,
        day,
        endpoint: 'balance-single',
        requests: 1 + i,
      })),
    },
  });
  const requests = async (): Promise<number> => {
    const months = await Promise.all(projects.map((project) => usage.read(project, month)));
    return months.reduce((sum, one) => sum + one.requests, 0);
  };
  const until = async (holds: () => Promise<boolean>, withinMs = 60_000): Promise<void> => {
    for (const end = Date.now() + withinMs; Date.now() < end; await sleep(20)) if (await holds()) return;
    throw new Error(`not in time; ${await requests()} requests are counted`);
  };
  const untilCounted = (least: number, withinMs?: number): Promise<void> =>
    until(async () => (await requests()) >= least, withinMs);
  /** Each event twice: what a gateway sends again after a crash. */
  const publish = async (lanes: readonly string[], first: number, count: number): Promise<void> => {
    for (let at = first; at < first + count; at += AT_ONCE) {
      const events = Array.from({ length: AT_ONCE }, (_, i) =>
        recorded(lanes[(at + i) % lanes.length]!, at + i),
      );
      await bus.publish('usage.recorded', events);
      await bus.publish('usage.recorded', events);
    }
  };

  it('counts each event once, killed again and again while it counts, with all of them sent twice', async () => {
    const lanes = [randomUUID(), randomUUID(), randomUUID()];
    const countedAtKill: number[] = [];
    for (let life = 0; life < KILLS; life++) {
      const before = await requests();
      const metering = await startMetering();
      // The first half comes while it counts, the second one while nobody does.
      const publishing = publish(lanes, life * EVENTS, EVENTS / 2);
      await untilCounted(before + 1);
      await metering.end('SIGKILL');
      await publishing;
      await publish(lanes, life * EVENTS + EVENTS / 2, EVENTS / 2);
      countedAtKill.push(await requests());
    }
    const sent = KILLS * EVENTS * IN_EVENT;
    process.stdout.write(`metering killed: ${JSON.stringify({ sent, countedAtKill })}\n`);
    const metering = await startMetering();
    await untilCounted(sent);
    // What was sent before is through when this is: it comes behind it in each lane.
    await publish(lanes, KILLS * EVENTS, AT_ONCE);
    await untilCounted(sent + AT_ONCE * IN_EVENT);
    await metering.end('SIGTERM');
    expect(await requests()).toBe(sent + AT_ONCE * IN_EVENT);
    const { differences } = await auditMonth(usage, month);
    // These lanes never took the units that they count.
    expect(differences.filter(({ comparison }) => comparison !== 'counted and held')).toEqual([]);
  }, 300_000);

  it('counts once when a metering was paused, lost its partitions, and goes on with what it had read', async () => {
    const before = await requests();
    const lanes = [randomUUID(), randomUUID(), randomUUID()];
    const zombie = await startMetering();
    const publishing = publish(lanes, 0, EVENTS);
    await untilCounted(before + 1);
    zombie.signal('SIGSTOP');
    await publishing;
    await publish(lanes, EVENTS, EVENTS);
    const next = await startMetering();
    // The session of the paused one ends after some seconds; then all is the other's.
    await untilCounted(before + 2 * EVENTS * IN_EVENT, 120_000);
    zombie.signal('SIGCONT');
    await publish(lanes, 2 * EVENTS, EVENTS);
    await untilCounted(before + 3 * EVENTS * IN_EVENT);
    await Promise.all([zombie.end('SIGTERM'), next.end('SIGTERM')]);
    expect(await requests()).toBe(before + 3 * EVENTS * IN_EVENT);
  }, 300_000);

  it('counts an order once for its project and month, however often it is told', async () => {
    const [project = ''] = projects;
    const metering = await startMetering();
    const source = `/orders/${randomUUID()}`;
    const events = Array.from({ length: 30 }, (_, sequence) => receivedOrder(project, source, sequence));
    const orders = async (): Promise<number> => (await usage.read(project, month)).orders;
    for (let round = 0; round < 3; round++) await bus.publish('orders.received', events);
    await until(async () => (await orders()) >= 30);
    await bus.publish('orders.received', [...events, receivedOrder(project, source, 30)]);
    await until(async () => (await orders()) >= 31);
    await metering.end('SIGTERM');
    expect(await orders()).toBe(31);
    const others = await Promise.all(projects.slice(1).map((other) => usage.read(other, month)));
    expect(others.reduce((sum, one) => sum + one.orders, 0)).toBe(0);
  }, 180_000);
});
