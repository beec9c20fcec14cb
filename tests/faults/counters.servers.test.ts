/**
 * The counters in Redis while metering processes are killed, partitions move, and Redis is emptied, paused
 * and cut off: never above the ledger, never back, and at rest equal to it for every project.
 */
import { startKafka, type KafkaServer } from '@hindsight/tools/servers/kafka.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import {
  type ServerProxy,
  setJoined,
  startToxiproxy,
  type ToxiproxyServer,
} from '@hindsight/tools/servers/toxiproxy.ts';
import { openBus } from '@hindsight/bus/open.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { openRedis, type RedisStore } from '@hindsight/stores/redis.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { compareCounters, type CopyComparison } from '@hindsight/usage/counters/compare.ts';
import { openCopy, openCounters, type OpenCopy } from '@hindsight/usage/open-counters.ts';
import type { MonthCounters } from '@hindsight/usage/counters/ports.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expelMembers } from '../support/expel-members.ts';
import { runService, type RunningService } from '../support/service-process.ts';

// The metering service's groups have one name everywhere, so this suite starts another broker.
const needs = { env: process.env, shared: ['mongodb'], own: ['kafka', 'redis', 'toxiproxy'] } as const;
const PROJECTS = 2_000 * rounds(1);
/** Counted and read all the time; few, since the test server searches all records for each change of one. */
const WATCHED = 10;
/** Number of the others that each round counts. */
const OTHERS = 2;
const EVERY_MS = 1_000;
const LOOK_EVERY_MS = 25;
const READ_AT_ONCE = 200;
const COUNTED_WITHIN_MS = 600_000;
const TEST_WITHIN_MS = 1_800_000;

await describeOnServers('counters in Redis', needs, ({ mongodb }) => {
  const day = dayOf(Date.now());
  const month = day.slice(0, 7);
  const mongodbUrl = withDatabase(mongodb.address, `counters-${randomUUID()}`);
  const projects = Array.from({ length: PROJECTS }, () => randomUUID());
  const producers = Array.from({ length: 6 }, () => randomUUID());
  let kafka: KafkaServer;
  let redis: RedisServer;
  let toxiproxy: ToxiproxyServer;
  let lifecycle: Lifecycle;
  let bus: EventBus;
  let usage: UsageStore;
  let opened: OpenCopy;
  let counters: MonthCounters;
  /** The same with a minute for each answer of Redis: at rest only its contents are of interest. */
  let everyone: MonthCounters;
  let server: RedisStore;
  let settings: Record<string, string>;
  let proxy: ServerProxy;
  const running: RunningService[] = [];

  const startMetering = async (): Promise<RunningService> => {
    const metering = await runService('metering', settings);
    running.push(metering);
    return metering;
  };

  beforeAll(async () => {
    [kafka, redis, toxiproxy] = await Promise.all([startKafka(), startRedis(), startToxiproxy()]);
    const [listen, upstream] = [`127.0.0.1:${await freePort()}`, new URL(redis.url).host];
    proxy = await toxiproxy.client.createProxy({ name: 'redis', listen, upstream });
    settings = { MONGODB_URL: mongodbUrl, KAFKA_BROKERS: kafka.brokers, REDIS_URL: `redis://${listen}` };
    const logger = createLogger({ name: 'test', level: 'silent' });
    lifecycle = createLifecycle(logger);
    const deps = { logger, clock: systemClock, ids: randomIds, lifecycle };
    ({ bus } = await openBus({ dataDir: '/nowhere', brokers: [kafka.brokers] }, deps));
    const ledger = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle);
    ({ usage } = ledger);
    // Readers are not cut off: they see the contents of Redis.
    counters = openCounters(ledger, await openCopy(ledger, redis.url, deps), deps);
    opened = (await openCopy(ledger, redis.url, { ...deps, redisAnswersWithinMs: 60_000 }))!;
    everyone = openCounters(ledger, opened, deps);
    server = await openRedis({ url: redis.url, answerWithinMs: 60_000 }, lifecycle, logger);
    await fill();
  }, TEST_WITHIN_MS);
  afterAll(async () => {
    await Promise.all(running.map((metering) => metering.end('SIGKILL')));
    await lifecycle?.shutdown('end of test');
    await Promise.all([kafka, redis, toxiproxy].map((one) => one?.stop()));
  });

  /** A request each, counted before this version: without a revision. */
  const fill = async (): Promise<void> => {
    const store = await openMongodb({ url: mongodbUrl }, [], lifecycle);
    const records = store.db.collection<{ _id: string; [field: string]: unknown }>('usage');
    const rest = { month, taken: 1, requests: 1, orders: 0, days: { [day]: { token: 1 } } };
    for (let at = 0; at < PROJECTS; at += 1_000) {
      const some = projects.slice(at, at + 1_000);
      await records.insertMany(some.map((project) => ({ _id: `${month}|${project}`, ...rest })));
    }
  };
  let sequence = 0;
  const event = (project: string) => {
    const producer = producers[sequence % producers.length]!;
    return {
      type: 'usage-recorded' as const,
      id: `${producer}:${sequence}`,
      source: `/gateway/${producer}`,
      time: Date.now(),
      sequence: sequence++,
      data: { lane: producer, entries: [{ projectId: project, day, endpoint: 'token', requests: 1 }] },
    };
  };
  const publish = (): Promise<unknown> => {
    const others = Array.from({ length: OTHERS }, (_, i) => projects[(sequence * 7 + i) % PROJECTS]!);
    return bus.publish('usage.recorded', [...projects.slice(0, WATCHED), ...others].map(event));
  };
  /** On a busy machine a store may not answer in time: then the read is repeated. */
  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        await sleep(100);
      }
    }
  };
  const counted = async (): Promise<number> => {
    let sum = 0;
    for (let after: string | undefined = ''; after !== undefined;) {
      const from: string = after;
      const page = await answered(() => usage.audit(month, from, 1_000));
      for (const { requests } of page) sum += requests;
      after = page.length < 1_000 ? undefined : page.at(-1)?.project;
    }
    return sum;
  };
  /** Its partitions move to others at once. */
  const kill = async (metering: RunningService): Promise<void> => {
    await metering.end('SIGKILL');
    await expelMembers(kafka.brokers);
  };
  const compared = (): Promise<CopyComparison> =>
    answered(() => compareCounters({ ledger: usage, ...opened }, { month }));

  const begun = performance.now();
  const note = (what: string): void => {
    const seconds = ((performance.now() - begun) / 1_000).toFixed();
    process.stdout.write(`counters: ${what} after ${seconds} s\n`);
  };

  it(
    'equal the ledger at rest for every project, whatever happened, and were never above it or went back',
    async () => {
      let [active, publishing] = [true, true];
      const load = async (): Promise<void> => {
        for (; active; await sleep(EVERY_MS)) if (publishing) await publish();
      };
      /** All partitions are read: by others than those that were killed. */
      const untilAllCounted = async (): Promise<void> => {
        publishing = false;
        await until(
          'all is counted',
          async () => (await counted()) >= PROJECTS + sequence,
          COUNTED_WITHIN_MS,
          250,
        );
        publishing = true;
      };
      const wrong: unknown[] = [];
      const looks = { copy: 0, ledger: 0 };
      const watch = async (): Promise<void> => {
        const seen = new Map<string, number>();
        for (let at = 0; active; at = (at + 1) % WATCHED) {
          const project = projects[at]!;
          const shown = await answered(() => counters.read(project, month));
          const { requests: recorded } = await answered(() => usage.read(project, month));
          looks[shown.from]++;
          if (shown.requests > recorded || shown.requests < (seen.get(project) ?? 0))
            wrong.push({ project, shown, recorded, seen: seen.get(project) });
          seen.set(project, shown.requests);
          await sleep(LOOK_EVERY_MS);
        }
      };
      const faults = async (): Promise<void> => {
        let one = await startMetering();
        const other = await startMetering();
        await until(
          'it counts',
          async () => (await answered(() => usage.read(projects[0]!, month))).requests > 1,
        );
        await kill(one);
        one = await startMetering();
        note('killed and restarted');

        await setJoined(proxy, false);
        await kill(other);
        await server.run((client) => client.flushall());
        await startMetering();
        await untilAllCounted();
        await setJoined(proxy, true);
        const before = looks.copy;
        await until('Redis is read again', () => looks.copy > before);
        note('emptied, cut off and back');

        await redis.pause();
        const third = await startMetering();
        await kill(one);
        await untilAllCounted();
        redis.resume();
        await third.end('SIGTERM');
        note('paused and resumed');
      };
      const work = [load(), watch()];
      try {
        await faults();
      } finally {
        active = false;
        await Promise.all(work);
      }
      await untilAllCounted();
      const sent = PROJECTS + sequence;
      expect(await counted()).toBe(sent);
      note('all counted');
      let found: CopyComparison | undefined;
      const agrees = async (): Promise<boolean> => {
        for (let at = 0; at < PROJECTS; at += READ_AT_ONCE) {
          const some = projects.slice(at, at + READ_AT_ONCE);
          await Promise.all(some.map((project) => answered(() => everyone.read(project, month))));
        }
        found = await compared();
        return found.absent === 0 && found.disagreeing === 0;
      };
      await until('Redis agrees, and has every project', agrees, COUNTED_WITHIN_MS);
      const keys = projects.map((project) => `hindsight:usage:1:{${project}}:${month}`);
      let inRedis = 0;
      for (const key of keys) {
        const counts = await server.run((client) => client.hget(key, 'counters'));
        inRedis += (JSON.parse(counts!) as { requests: number }).requests;
      }
      process.stdout.write(`counters: ${JSON.stringify({ sent, inRedis, looks, wrong: wrong.length })}\n`);
      expect(wrong).toEqual([]);
      expect(found).toMatchObject({ compared: PROJECTS, absent: 0, disagreeing: 0, disagreements: [] });
      expect(inRedis).toBe(sent);
      expect(looks.copy).toBeGreaterThan(0);
    },
    TEST_WITHIN_MS,
  );
});
