/** The counters in a cluster of Redis, with a ledger in MongoDB. */
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { type RedisCluster, startRedisCluster } from '@hindsight/tools/servers/redis-cluster.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { randomUUID } from 'node:crypto';
import { RedisCopy } from '../../src/adapters/redis/copy.ts';
import type { RevisedMonth } from '../../src/counters/ports.ts';
import { describeCounters, MONTH } from './counters.contract.ts';

const PATIENCE_MS = 60_000;
/** A primary that is gone keeps a call waiting this long; what a busy machine is too slow for is tried again. */
const IMPATIENCE_MS = 1_000;
const EPOCH = '{hindsight:usage}:1:epoch';
const needs = { env: process.env, shared: ['mongodb'], own: ['redis'] } as const;

await describeOnServers('counters in a cluster of Redis', needs, ({ mongodb }) => {
  const databases: string[] = [];
  let cluster: RedisCluster;

  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(async () => {
    const client = new MongoClient(mongodb.address, { serverSelectionTimeoutMS: 30_000 });
    await Promise.all(databases.map((name) => client.db(name).dropDatabase()));
    await client.close();
    await cluster?.stop();
  });

  describeCounters('a cluster of Redis', {
    fresh: async () => {
      await cluster.empty();
      const name = `counters-${randomUUID()}`;
      databases.push(name);
      return {
        dataDir: '/nowhere',
        mongodbUrl: withDatabase(mongodb.address, name),
        redisUrl: cluster.url,
      };
    },
  });

  it('are no longer believed once any primary was replaced by its replica, even one that does not hold the epoch', async () => {
    await cluster.empty();
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    try {
      const open = async (answerWithinMs: number): Promise<RedisCopy> => {
        const redis = await openRedis({ url: cluster.url, answerWithinMs }, lifecycle, lifecycle.logger);
        await untilItWorks('the cluster answers', () => redis.check.check());
        return new RedisCopy(redis, PATIENCE_MS);
      };
      const [copy, impatient] = [await open(PATIENCE_MS), await open(IMPATIENCE_MS)];
      const holder = await cluster.primaryOf(EPOCH);
      const months = Array.from({ length: 20 }, (_, n): RevisedMonth => {
        return {
          project: `p${n}`,
          month: MONTH,
          revision: 1,
          requests: n,
          asOf: 1,
          orders: 0,
          taken: 0,
          days: {},
        };
      });
      const first = await copy.vouch(undefined);
      await copy.put(months, first.number);
      expect(await copy.findMany(months)).toEqual(months);
      expect(await copy.vouch(first)).toEqual(first);

      const elsewhere = await Promise.all(
        months.map(({ project }) => cluster.primaryOf(`hindsight:usage:1:{${project}}:${MONTH}`)),
      );
      const lost = elsewhere.find((server) => server !== holder);
      await lost?.kill();
      await expect(impatient.vouch(first)).rejects.toThrow('Redis is not reachable');
      await cluster.letReplicasTakeOver(true);
      let second = first;
      await untilItWorks('it is vouched for again', async () => (second = await impatient.vouch(first)));
      expect(second.number).toBeGreaterThan(first.number);
      expect(await copy.findMany(months)).toEqual(months.map(() => undefined));
    } finally {
      await lifecycle.shutdown('end of test');
    }
  });
});
