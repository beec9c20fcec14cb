import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { DAY_MS, HOUR_MS } from '@hindsight/kernel/durations.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { RedisCopy } from '@hindsight/usage/adapters/redis/copy.ts';
import type { RecordName } from '@hindsight/usage/calendar.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAdminAgain } from '../support/admin-here.ts';

const needs = { env: process.env, shared: ['mongodb', 'kafka', 'redis'] } as const;
const SECRET = 'a secret of some length';
const BELIEVED_MS = HOUR_MS;
/** Kafka may take longer than the command waits for it. */
const PUBLISHED_OR_NOT = expect.stringMatching(/^(The change is stored; [^\n]*\n)?$/) as unknown;

await describeOnServers('npm run admin, on MongoDB and Kafka', needs, ({ mongodb, kafka, redis }) => {
  it('changes projects in MongoDB, and publishes it on Kafka', async () => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const logger = createLogger({ name: 'test', level: 'silent' });
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    const mongodbUrl = withDatabase(mongodb.address, `admin-${randomUUID()}`);
    const env = { MONGODB_URL: mongodbUrl, KAFKA_BROKERS: kafka.address, SECRETS_KEY: SECRET };
    const create = (name: string) =>
      runAdminAgain(env, 'project', 'create', '--name', name, '--plan', 'free', '--json');
    try {
      const created = await create('Ada');
      expect(created).toMatchObject({ code: 0, stderr: PUBLISHED_OR_NOT });
      const { project, key } = JSON.parse(created.stdout) as { project: string; key: string };
      expect(await runAdminAgain(env, 'project', 'suspend', project)).toMatchObject({
        code: 0,
        stderr: PUBLISHED_OR_NOT,
      });

      const { projects, outbox } = await openProjects(
        { dataDir: '/nowhere', mongodbUrl, secret: SECRET },
        platform,
      );
      expect(await projects.findByKey(key)).toMatchObject({ id: project, status: 'suspended' });
      // Only the command publishes: events that one run had no time for come with the next.
      await untilItWorks('all is published', async () => {
        const waiting = await outbox.claim({ by: 'test', now: Date.now() + DAY_MS, until: 0 }, 10);
        if (waiting.length > 0) await create('Bob');
        expect(waiting).toEqual([]);
      });

      const { bus } = await openBus({ dataDir: '/nowhere', brokers: kafka.address.split(',') }, platform);
      // By id: an event whose publication the command could not confirm is published again.
      const types = new Map<string, string>();
      await bus.subscribe({ group: `test-${randomUUID()}`, topics: ['projects.changed'] }, async (events) => {
        for (const { id, type, data } of events) if (data.projectId === project) types.set(id, type);
      });
      await until('both changes are published', () => types.size >= 2);
      expect([...types.values()]).toEqual(['created', 'suspended']);
    } finally {
      await lifecycle.shutdown('end of test');
    }
  });

  it('leaves the event to the services when it cannot reach their bus', async () => {
    const mongodbUrl = withDatabase(mongodb.address, `admin-${randomUUID()}`);
    const env = { MONGODB_URL: mongodbUrl, SECRETS_KEY: SECRET };
    const { code, stderr } = await runAdminAgain(env, 'project', 'create', '--name', 'Ada', '--plan', 'free');
    expect(code).toBe(0);
    expect(stderr).toContain('KAFKA_BROKERS is not set');
    // Run where metering runs, which has no secret: docs/operations/recover.md.
    for (const words of ['backup finish', 'usage reconcile'])
      expect(await runAdminAgain({ MONGODB_URL: mongodbUrl }, ...words.split(' '))).toMatchObject({
        code: 0,
      });
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    try {
      const platform = { clock: systemClock, ids: randomIds, lifecycle };
      const { outbox } = await openProjects({ dataDir: '/nowhere', mongodbUrl, secret: SECRET }, platform);
      const waiting = await outbox.claim({ by: 'test', now: Date.now(), until: 0 }, 10);
      expect(waiting.map(({ change }) => change)).toEqual(['created']);
    } finally {
      await lifecycle.shutdown('end of test');
    }
  });

  it('compares the counters in Redis with MongoDB, and says what it needs for that', async () => {
    const mongodbUrl = withDatabase(mongodb.address, `admin-${randomUUID()}`);
    // A part of Redis that no other suite's process vouches for.
    const redisUrl = `${redis.address}/9`;
    const env = { MONGODB_URL: mongodbUrl, REDIS_URL: redisUrl, SECRETS_KEY: SECRET };
    const month = new Date().toISOString().slice(0, 7);
    const words = ['usage', 'reconcile', '--redis', '--month', month];
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-admin-'));
    expect(await runAdminAgain({ DATA_DIR: folder, SECRETS_KEY: SECRET }, ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--redis needs REDIS_URL and MONGODB_URL'),
    });
    rmSync(folder, { recursive: true });
    const project = randomUUID();
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    try {
      const { usage } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle);
      const entry = { project, day: `${month}-01`, endpoint: 'token', requests: 1, orders: 0 };
      await usage.apply(byRecord([{ producer: 'a', sequence: 1, entries: [entry] }]));
    } finally {
      await lifecycle.shutdown('counted');
    }
    const { code, stdout, stderr } = await runAdminAgain(env, ...words, '--sample', '10', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ month, disagreeing: 0, disagreements: [] });
    const all = await runAdminAgain(env, ...words, '--repair');
    expect(all.stdout).toMatch(/^month +\S+\nprojects compared +1\nnot in Redis +1\ndisagreements +0\n$/);
    // On a busy machine Redis may not be connected at once.
    await untilItWorks('it is put', () => putCopy(env, { project, month }, 1));
    expect(await runAdminAgain(env, ...words, '--json')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"disagreeing":1'),
      stderr: 'error: Redis and MongoDB disagree about 1 of 1 projects\n',
    });
    expect(await runAdminAgain(env, ...words, '--repair')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/disagreements +1\n/),
    });
    expect(await runAdminAgain(env, ...words)).toMatchObject({ code: 0 });
  });

  it('shows as held what gateways hold, though Redis has counters from before they released the rest', async () => {
    const mongodbUrl = withDatabase(mongodb.address, `admin-${randomUUID()}`);
    const env = { MONGODB_URL: mongodbUrl, REDIS_URL: `${redis.address}/9`, SECRETS_KEY: SECRET };
    const { stdout } = await runAdminAgain(env, ...'project create --name Ada --plan free --json'.split(' '));
    const { project } = JSON.parse(stdout) as { project: string };
    const [month, producer] = [new Date().toISOString().slice(0, 7), randomUUID()];
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    try {
      const { usage } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle);
      await usage.take({ project, month, producer, limit: 100_000, waiting: [1], atHand: 0 });
      const entry = { project, day: `${month}-01`, endpoint: 'token', requests: 1, orders: 0 };
      await usage.apply(byRecord([{ producer, sequence: 1, entries: [entry] }]));
      await untilItWorks('it is put', () => putCopy(env, { project, month }));
      expect(await usage.closeProducer(producer)).toMatchObject({ units: 999 });
    } finally {
      await lifecycle.shutdown('counted');
    }
    const shown = await runAdminAgain(env, 'usage', 'show', project, '--month', month, '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ requests: { used: 1 }, heldByGateways: 0 });
  });
});

/**
 * Copies counters to Redis; believed for longer than the test takes.
 * @param ahead by which MongoDB, put back from a backup, is behind them
 */
async function putCopy(
  { MONGODB_URL: mongodbUrl, REDIS_URL: url }: { readonly MONGODB_URL: string; readonly REDIS_URL: string },
  record: RecordName,
  ahead = 0,
): Promise<void> {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const lifecycle = createLifecycle(logger);
  try {
    const { records } = await openUsage({ dataDir: '/nowhere', mongodbUrl }, lifecycle);
    const redis = await openRedis({ url, connectionName: 'test', answerWithinMs: 5_000 }, lifecycle, logger);
    const copy = new RedisCopy(redis, BELIEVED_MS);
    const months = (await records?.readMany([record])) ?? [];
    const epoch = await copy.vouch(undefined, Date.now());
    const put = months.map((month) => ({ ...month, revision: month.revision + ahead }));
    await copy.put(put, epoch.number);
  } finally {
    await lifecycle.shutdown('put');
  }
}
