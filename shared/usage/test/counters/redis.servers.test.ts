/** The counters in Redis with a ledger in MongoDB, when Redis loses or refuses them. */
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { startToxiproxy, type ToxiproxyServer } from '@hindsight/tools/servers/toxiproxy.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openRedis, type RedisStore } from '@hindsight/stores/redis.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisCopy } from '../../src/adapters/redis/copy.ts';
import { compareCounters, type CopyComparison } from '../../src/counters/compare.ts';
import { openCopy, openCounters, openPublisher, type OpenCopy } from '../../src/open-counters.ts';
import type {
  CounterPublisher,
  Epoch,
  FoundCopy,
  MonthCounters,
  RevisedMonth,
} from '../../src/counters/ports.ts';
import { byRecord } from '../../src/fold.ts';
import { openUsage } from '../../src/open.ts';
import type { UsageStore } from '../../src/ports.ts';
import { counted, describeCounters, MONTH } from './counters.contract.ts';

/** Moment up to which all is counted: a copy that does not know one is not read. */
const COUNTED_TO = 1_000;
const PATIENCE_MS = 60_000;
const needs = { env: process.env, shared: ['mongodb'], own: ['redis', 'toxiproxy'] } as const;

await describeOnServers('counters in Redis', needs, ({ mongodb }) => {
  const databases: string[] = [];
  let server: RedisServer;
  let toxiproxy: ToxiproxyServer;

  const freshLedger = (): string => {
    const name = `counters-${randomUUID()}`;
    databases.push(name);
    return withDatabase(mongodb.address, name);
  };

  beforeAll(async () => {
    [server, toxiproxy] = await Promise.all([startRedis(), startToxiproxy()]);
  });
  afterAll(async () => {
    const client = new MongoClient(mongodb.address, { serverSelectionTimeoutMS: 30_000 });
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
    await Promise.all([server?.stop(), toxiproxy?.stop()]);
  });

  describeCounters('Redis', {
    fresh: async () => {
      await emptied(server);
      return { dataDir: '/nowhere', mongodbUrl: freshLedger(), redisUrl: server.url };
    },
  });

  describe('a copy', () => {
    let lifecycle: Lifecycle;
    let redis: RedisStore;
    let copy: RedisCopy;
    const month = (revision: number, requests: number, asOf = 1): RevisedMonth => {
      return { project: 'p', month: MONTH, revision, requests, asOf, orders: 0, taken: 0, days: {} };
    };
    const found = async () => (await copy.find({ project: 'p', month: MONTH })).month;

    beforeEach(async () => {
      await emptied(server);
      lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
      redis = await connected(server, lifecycle);
      copy = new RedisCopy(redis, PATIENCE_MS);
    });
    afterEach(() => lifecycle.shutdown('end of test'));

    it('keeps the higher revision, in whatever order they are written, and of one revision the last reading', async () => {
      const { number } = await copy.vouch(undefined);
      await copy.put([month(5, 50)], number);
      await copy.put([month(4, 40), month(0, 0)], number);
      expect(await found()).toEqual(month(5, 50));
      await copy.put([month(5, 50, 3), month(5, 50, 2)], number);
      expect(await found()).toEqual(month(5, 50, 3));
      await copy.put([month(6, 60, 2)], number);
      expect(await found()).toEqual(month(6, 60, 2));
      // A copy is removed unless it has changed since it was found wrong.
      await copy.remove({ project: 'p', month: MONTH }, 5);
      expect(await found()).toEqual(month(6, 60, 2));
      await copy.remove({ project: 'p', month: MONTH }, 6);
      expect(await found()).toBeUndefined();
    });

    it('is believed only while it is vouched for, and not what an epoch before has stored', async () => {
      const first = await copy.vouch(undefined);
      await copy.put([month(5, 50)], first.number);
      expect(await found()).toEqual(month(5, 50));
      // The same process goes on; another one begins.
      expect(await copy.vouch(first)).toEqual(first);
      expect(await found()).toEqual(month(5, 50));
      const second = await copy.vouch(undefined);
      expect(second.number).toBeGreaterThan(first.number);
      expect(await found()).toBeUndefined();
      await copy.put([month(5, 50)], second.number);
      // A process that does not know the new epoch yet.
      await copy.put([month(5, 50, 9)], first.number);
      expect(await found()).toEqual(month(5, 50));
      await redis.run((client) => client.del('{hindsight:usage}:1:vouched'));
      expect(await copy.find({ project: 'p', month: MONTH })).toEqual({});
    });

    it('is not vouched for by a word that the server comes to later than it was good', async () => {
      const VOUCHED_MS = 2_000;
      const settings = { url: server.url, answerWithinMs: 200 };
      const hasty = new RedisCopy(await openRedis(settings, lifecycle, lifecycle.logger), VOUCHED_MS);
      let first: Epoch | undefined;
      await untilItWorks('it is vouched for', async () => (first = await hasty.vouch(undefined, 6_000)));
      await untilItWorks('it is stored', () => hasty.put([month(5, 50)], first!.number));
      const scripts = () => onServer(server, scriptsRun);
      const before = await scripts();
      await server.pause();
      // Sent while the server is paused: the process waits no longer than for other answers, and hangs up.
      await expect(hasty.vouch(first, 7_000)).rejects.toThrow('Redis is not reachable');
      await sleep(2 * VOUCHED_MS);
      server.resume();
      await until('the server has come to it', async () => (await scripts()) > before);
      expect(await copy.find({ project: 'p', month: MONTH })).toEqual({});
      // The process still runs: it has found out by the time that it goes on.
      let again: FoundCopy | undefined;
      await until('it is vouched for again', async () => {
        // Vouching lasts 2 s: a process that was paused for longer vouches again.
        await hasty.vouch(first, 8_000).catch(() => undefined);
        again = await copy.find({ project: 'p', month: MONTH });
        return again.countedTo !== undefined;
      });
      expect(again).toMatchObject({ countedTo: 8_000 });
    });

    it('begins an epoch on another server, and on one that was emptied or put back', async () => {
      const first = await copy.vouch(undefined);
      const elsewhere = await copy.vouch({ ...first, server: 'another one' });
      expect(elsewhere.number).toBeGreaterThan(first.number);
      await emptied(server);
      expect((await copy.vouch(elsewhere)).number).toBeGreaterThan(elsewhere.number);
      const later = { ...elsewhere, number: elsewhere.number + 1_000_000 };
      const own = await copy.vouch(later);
      expect(own.number).toBeGreaterThan(later.number);
      // Its data are another server's.
      await redis.run((client) => client.hset('{hindsight:usage}:1:epoch', 'server', 'another one'));
      expect((await copy.vouch(own)).number).toBeGreaterThan(own.number);
    });

    it('has one key for a project’s month, in one slot of a cluster, that expires after it is settled', async () => {
      const { number } = await copy.vouch(undefined);
      await copy.put([month(1, 1)], number);
      const keys = await redis.run((client) => client.keys('hindsight:usage:1:*'));
      expect(keys).toEqual([`hindsight:usage:1:{p}:${MONTH}`]);
      const expiry = await redis.run((client) => client.pexpiretime(keys[0]!));
      expect(expiry).toBe(Date.UTC(2026, 11, 1) + 42 * DAY_MS);
    });

    it('treats what it cannot read as missing, and is put right by the next reading', async () => {
      const { number } = await copy.vouch(undefined);
      await copy.put([month(1, 1)], number);
      const key = `hindsight:usage:1:{p}:${MONTH}`;
      await redis.run((client) => client.hset(key, 'counters', '{"requests":'));
      expect(await copy.find({ project: 'p', month: MONTH })).toEqual({ epoch: number });
      await copy.put([month(1, 1, 2)], number);
      expect(await found()).toEqual(month(1, 1, 2));
    });
  });

  describe('beside the ledger', () => {
    const lines: string[] = [];
    let lifecycle: Lifecycle;
    let telemetry: Telemetry;
    let proxyUrl: string;
    let usage: UsageStore;
    let opened: OpenCopy;
    let counters: MonthCounters;
    let publisher: CounterPublisher;
    let sequence = 0;
    let upstream: (to: RedisServer | undefined) => Promise<void>;

    beforeEach(async () => {
      await emptied(server);
      lines.length = 0;
      const logger = createLogger({
        name: 'test',
        level: 'info',
        destination: { write: (line) => void lines.push(line) },
      });
      lifecycle = createLifecycle(logger);
      telemetry = createTelemetry('metering');
      lifecycle.onStop('telemetry', () => telemetry.stop());
      const listen = `127.0.0.1:${await freePort()}`;
      const proxy = await toxiproxy.client.createProxy({
        name: randomUUID(),
        listen,
        upstream: new URL(server.url).host,
      });
      proxyUrl = `redis://${listen}`;
      upstream = async (to) => {
        const host = new URL((to ?? server).url).host;
        await proxy.update({ enabled: false, listen, upstream: host });
        if (to !== undefined) await proxy.update({ enabled: true, listen, upstream: host });
      };
      await open(proxyUrl);
    });
    afterEach(async () => {
      await lifecycle.shutdown('end of test');
    });

    const open = async (redisUrl: string): Promise<void> => {
      const deps = { clock: systemClock, logger: lifecycle.logger, lifecycle, telemetry };
      const ledger = await openUsage({ dataDir: '/nowhere', mongodbUrl: freshLedger() }, lifecycle);
      ({ usage } = ledger);
      await ledger.progress.note(COUNTED_TO);
      opened = (await openCopy(ledger, redisUrl, { ...deps, redisAnswersWithinMs: PATIENCE_MS }))!;
      counters = openCounters(ledger, opened, deps);
      const copying = openPublisher(opened, deps)!;
      copying.start();
      publisher = copying;
    };
    const count = async (project = 'p'): Promise<void> => {
      const records = byRecord([counted('a', ++sequence, 1, project)]);
      await usage.apply(records);
      await publisher.publish(records);
    };
    const read = () => counters.read('p', MONTH);
    const untilCopied = (requests: number): Promise<void> =>
      until('it is read from the copy', async () => {
        const { from, requests: now } = await read();
        return from === 'copy' && now === requests;
      });
    /** A noted record is copied again within a second, whatever the copy has by then. */
    const untilNothingIsNoted = (): Promise<void> =>
      until('nothing is noted', async () => (await opened.records.noted(10)).length === 0);
    const metric = async (name: string): Promise<number> => {
      const text = await telemetry.metricsText();
      const values = [...text.matchAll(new RegExp(`^hindsight_usage_counters_${name}\\{.*\\} (\\S+)`, 'gm'))];
      return values.reduce((sum, [, value]) => sum + Number(value), 0);
    };
    const logged = (text: string): boolean => lines.some((line) => line.includes(text));
    const REFUSED = 'Redis does not take usage counters';

    it('is filled by a batch and by a reader, and is read from then on', async () => {
      await count();
      await untilCopied(1);
      let refills = NaN;
      // Vouching lasts a few seconds: a process that was paused for longer reads the ledger once again.
      await until('it is read from the copy again', async () => {
        refills = await metric('refills_total');
        const { from, requests } = await read();
        expect(requests).toBe(1);
        return from === 'copy';
      });
      expect(await metric('refills_total')).toBe(refills);
      expect(await counters.read('q', MONTH)).toMatchObject({ requests: 0, from: 'ledger' });
      await until('zeros too', async () => (await counters.read('q', MONTH)).from === 'copy');
      expect(await metric('refills_total')).toBeGreaterThan(refills);
    });

    it('is right again by itself after Redis was emptied', async () => {
      await count();
      await untilCopied(1);
      await emptied(server);
      expect((await read()).requests).toBe(1);
      await untilCopied(1);
      await count();
      await untilCopied(2);
    });

    it('is right again by itself after a replica took over that lagged', async () => {
      const replica = await startRedis();
      try {
        await count();
        await untilCopied(1);
        const { hostname, port } = new URL(server.url);
        await onServer(replica, (client) => client.replicaof(hostname, Number(port)));
        const key = `hindsight:usage:1:{p}:${MONTH}`;
        await until('it has followed', () =>
          onServer(replica, async (client) => (await client.exists(key)) === 1),
        );
        // From here on it lags.
        await onServer(replica, (client) => client.replicaof('NO', 'ONE'));
        for (let i = 0; i < 3; i++) await count();
        await untilCopied(4);
        await upstream(replica);
        await untilCopied(4);
        expect(await onServer(replica, (client) => client.hget(key, 'revision'))).toBe('4');
      } finally {
        await replica.stop();
      }
    });

    it('is right again by itself after an append-only file of yesterday was restored', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'redis-restored-'));
      const [dataDir, backup] = [join(folder, 'data'), join(folder, 'backup')];
      let restored = await startRedis({ dataDir });
      try {
        await upstream(restored);
        await count();
        await untilCopied(1);
        // Each write is in the file before its answer: a copy of a running server is a whole one.
        await cp(dataDir, backup, { recursive: true });
        for (let i = 0; i < 3; i++) await count();
        await count('only known since');
        await untilCopied(4);
        await restored.stop();
        await rm(dataDir, { recursive: true });
        await cp(backup, dataDir, { recursive: true });
        restored = await startRedis({ dataDir });
        const key = `hindsight:usage:1:{p}:${MONTH}`;
        expect(await onServer(restored, (client) => client.hget(key, 'revision'))).toBe('1');
        await upstream(restored);
        await untilCopied(4);
        await until('the other one too', async () => {
          const { from, requests } = await counters.read('only known since', MONTH);
          return from === 'copy' && requests === 1;
        });
        expect(await comparedOnceRead('p', 'only known since')).toMatchObject({
          compared: 2,
          disagreeing: 0,
        });
      } finally {
        await restored.stop();
        await rm(folder, { recursive: true, force: true });
      }
    });

    it('is read from the ledger while Redis is cut off, and is complete when it is back', async () => {
      await count();
      await untilCopied(1);
      await upstream(undefined);
      for (let i = 0; i < 3; i++) await count();
      await count('never read before');
      await until('it is noticed', async () => (await read()).requests === 4);
      expect((await read()).from).toBe('ledger');
      await until('it is logged', () => logged(REFUSED));
      expect(await metric('failures_total')).toBeGreaterThan(0);
      expect((await opened.records.noted(10)).map(({ project }) => project)).toEqual(
        expect.arrayContaining(['p', 'never read before']),
      );
      await until('the age grows', async () => (await metric('age')) > 1);
      await upstream(server);
      await untilCopied(4);
      await untilNothingIsNoted();
      expect(await comparedOnceRead('p', 'never read before')).toMatchObject({ compared: 2, disagreeing: 0 });
      await until('that is logged', () => logged('Redis takes usage counters again'));
    });

    describe('goes on where Redis refuses writes:', () => {
      const unknownMaster = { host: '127.0.0.1', port: '1' };
      it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
        [
          'out of memory',
          () => onServer(server, (client) => client.config('SET', 'maxmemory', '1')),
          () => onServer(server, (client) => client.config('SET', 'maxmemory', '0')),
        ],
        [
          'a replica, read-only',
          () => onServer(server, (client) => client.replicaof(unknownMaster.host, unknownMaster.port)),
          () => onServer(server, (client) => client.replicaof('NO', 'ONE')),
        ],
      ])('%s', async (_, refuse, accept) => {
        await count();
        await untilCopied(1);
        await refuse();
        try {
          for (let i = 0; i < 3; i++) await count();
          await until('it is seen', async () => (await read()).requests === 4);
          await until('it is logged', () => logged(REFUSED));
          expect(await metric('failures_total')).toBeGreaterThan(0);
        } finally {
          await accept();
        }
        await untilCopied(4);
        expect(await comparedOnceRead('p')).toMatchObject({ compared: 1, disagreeing: 0 });
      });

      it('a wrong password', async () => {
        const secured = await startRedis();
        try {
          await onServer(secured, (client) => client.config('SET', 'requirepass', 'the right one'));
          await open(secured.url.replace('//', '//default:another@'));
          for (let i = 0; i < 3; i++) await count();
          expect(await read()).toMatchObject({ requests: 3, from: 'ledger' });
          await until('it is logged', () => logged(REFUSED) && logged('WRONGPASS'));
          expect(await metric('failures_total')).toBeGreaterThan(0);
          expect(lines.join('')).not.toContain('another');
        } finally {
          await secured.stop();
        }
      });
    });

    /**
     * Counters of an earlier epoch are absent until they are read again, and an epoch may begin at any
     * moment.
     */
    const comparedOnceRead = async (...projects: string[]) => {
      let found: CopyComparison | undefined;
      await until('all of the copy is believed', async () => {
        for (const project of projects) await counters.read(project, MONTH);
        found = await compareCounters({ ledger: usage, ...opened }, { month: MONTH });
        return found.absent === 0;
      });
      return found;
    };
    const compared = (choice: { sample?: number; repair?: boolean } = {}) => {
      const { copy, records } = opened;
      /** Vouching lasts a few seconds: if the machine pauses for longer, the copy is not believed. */
      const findMany: typeof copy.findMany = async (names) => {
        let found = await copy.findMany(names);
        const isBelieved = (): boolean =>
          choice.sample !== undefined || found.some((one) => one !== undefined);
        await until('it is vouched for', async () => {
          if (!isBelieved()) found = await copy.findMany(names);
          return isBelieved();
        });
        return found;
      };
      const remove: typeof copy.remove = (...which) => copy.remove(...which);
      return compareCounters(
        { ledger: usage, records, copy: { findMany, remove } },
        { month: MONTH, ...choice },
      );
    };

    it('is compared with it: what is behind, ahead or different is found and put right', async () => {
      const projects = ['behind', 'ahead', 'different', 'right'];
      for (const project of projects) {
        await count(project);
        await until('copied', async () => (await counters.read(project, MONTH)).from === 'copy');
      }
      await untilNothingIsNoted();
      const behind = byRecord([counted('a', ++sequence, 4, 'behind')]);
      await usage.apply(behind);
      const key = (project: string): string => `hindsight:usage:1:{${project}}:${MONTH}`;
      await onServer(server, (client) => client.hset(key('ahead'), 'revision', '7'));
      const counts = JSON.stringify({ requests: 9, orders: 1, units: 0, days: {} });
      await onServer(server, (client) => client.hset(key('different'), 'counters', counts));
      const [one, nine] = [
        { requests: 1, orders: 1 },
        { requests: 9, orders: 1 },
      ];
      const expected = {
        month: MONTH,
        compared: 4,
        absent: 0,
        disagreeing: 3,
        disagreements: [
          {
            project: 'ahead',
            kind: 'ahead',
            copied: { ...one, revision: 7 },
            recorded: { ...one, revision: 1 },
          },
          {
            project: 'behind',
            kind: 'behind',
            copied: { ...one, revision: 1 },
            recorded: { requests: 5, orders: 2, revision: 2 },
          },
          {
            project: 'different',
            kind: 'different',
            copied: { ...nine, revision: 1 },
            recorded: { ...one, revision: 1 },
          },
        ].map((disagreement) => ({ month: MONTH, ...disagreement })),
      };
      expect(await compared()).toEqual(expected);
      expect(await compared({ repair: true })).toEqual(expected);
      expect(await compared()).toMatchObject({ compared: 4, absent: 3, disagreeing: 0 });
      expect((await counters.read('behind', MONTH)).requests).toBe(5);
    });

    it('is compared by samples', async () => {
      const projects = Array.from({ length: 30 }, () => randomUUID());
      await usage.apply(byRecord(projects.map((project) => counted('a', ++sequence, 1, project))));
      const { compared: some } = await compared({ sample: 10 });
      expect(some).toBeLessThanOrEqual(10);
    });
  });
});

type Client = Parameters<Parameters<RedisStore['run']>[0]>[0];

/** Connects past every proxy. */
async function onServer<T>(server: RedisServer, work: (client: Client) => Promise<T>): Promise<T> {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  try {
    return await (await connected(server, lifecycle)).run(work);
  } finally {
    await lifecycle.shutdown('asked');
  }
}

/** Opening does not wait for the server for more than two seconds. */
async function connected(server: RedisServer, lifecycle: Lifecycle): Promise<RedisStore> {
  const settings = { url: server.url, answerWithinMs: PATIENCE_MS };
  const redis = await openRedis(settings, lifecycle, lifecycle.logger);
  await untilItWorks('Redis answers', () => redis.check.check());
  return redis;
}

async function scriptsRun(client: Client): Promise<number> {
  const [, calls = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
  return Number(calls);
}

async function emptied(server: RedisServer): Promise<void> {
  await onServer(server, (client) => client.flushall());
}
