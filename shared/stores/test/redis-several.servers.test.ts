/** Redis of several servers: a cluster, and a server that Sentinels watch. */
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { type RedisCluster, startRedisCluster } from '@hindsight/tools/servers/redis-cluster.ts';
import { startWatchedRedis, type WatchedRedis } from '@hindsight/tools/servers/redis-sentinel.ts';
import { onRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Cluster, type Redis } from 'ioredis';
import { openRedis, RedisUnreachable, type RedisStore } from '../src/redis.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const PATIENCE_MS = 60_000;
const KEYS = Array.from({ length: 60 }, (_, n) => `{project ${n}}`);
const ADD = { name: 'addTo', keys: 1, lua: "return redis.call('INCRBY', KEYS[1], ARGV[1])" };

await describeOnServers('Redis of several servers', { env: process.env, own: ['redis'] }, () => {
  let lifecycle: Lifecycle;
  let store: RedisStore;
  const open = (url: string): Promise<RedisStore> =>
    openRedis({ url, answerWithinMs: PATIENCE_MS }, lifecycle, logger);
  const answers = (): Promise<boolean> => store.check.check().then(Boolean, () => false);

  beforeEach(() => {
    lifecycle = createLifecycle(logger);
  });
  afterEach(() => lifecycle.shutdown('end of test'));

  describe('a cluster', () => {
    let cluster: RedisCluster;

    beforeAll(async () => {
      cluster = await startRedisCluster();
    });
    afterAll(() => cluster?.stop());
    beforeEach(async () => {
      store = await open(cluster.url);
      await until('the cluster answers', answers);
    });

    it('runs commands and scripts on the servers of their keys', async () => {
      await store.run(async (client) => Promise.all(KEYS.map((key) => client.set(key, '1'))));
      const add = store.scripts(ADD);
      expect(await add(KEYS.map((key, n) => [[key], [n]]))).toEqual(KEYS.map((_, n) => n + 1));
      const holders = await Promise.all(KEYS.map((key) => cluster.primaryOf(key)));
      expect(new Set(holders).size).toBe(3);
    });

    it('has no identity, and is not ready, while a primary answers and does not serve', async () => {
      const [key = ''] = KEYS;
      const primary = await cluster.primaryOf(key);
      const ask = <T>(work: (client: Redis) => Promise<T>) =>
        onRedis(Number(new URL(primary.url).port), work);
      const slot = await ask((client) => client.cluster('KEYSLOT', key));
      const serves = async (): Promise<boolean> =>
        String(await ask((client) => client.cluster('INFO'))).includes('cluster_state:ok');
      await ask((client) => client.config('SET', 'cluster-require-full-coverage', 'yes'));
      await ask((client) => client.cluster('DELSLOTS', slot));
      await until('it does not serve', async () => !(await serves()));
      await expect(store.identity()).rejects.toThrow(RedisUnreachable);
      await expect(store.check.check()).rejects.toThrow(RedisUnreachable);
      await ask((client) => client.cluster('ADDSLOTS', slot));
      await ask((client) => client.config('SET', 'cluster-require-full-coverage', 'no'));
      await until('it serves', serves);
      await untilItWorks('the cluster has an identity', () => store.identity());
    });

    it('has no identity while a server that was demoted is still taken for a primary', async () => {
      let replicas: Redis[] = [];
      await until('the replicas are known', async () => {
        replicas = await store.run(async (client) => (client as Cluster).nodes('slave'));
        return replicas.length === 3;
      });
      const known = jest.spyOn(Cluster.prototype, 'nodes').mockReturnValue(replicas);
      try {
        await untilItWorks('each replica answers', () => Promise.all(replicas.map((node) => node.ping())));
        await expect(store.identity()).rejects.toThrow('does not serve');
      } finally {
        known.mockRestore();
      }
    });

    it('keeps serving the other keys while a primary is down, and all keys once its replica has taken over', async () => {
      const before = await store.identity();
      expect(await store.identity()).toBe(before);
      const [lost = ''] = KEYS;
      const down = await cluster.primaryOf(lost);
      const others = await Promise.all(KEYS.map((key) => cluster.primaryOf(key)));
      const kept = KEYS[others.findIndex((holder) => holder !== down)] ?? '';
      await down.kill();
      await expect(store.run((client) => client.set(lost, 'x'))).rejects.toThrow(RedisUnreachable);
      await expect(store.check.check()).rejects.toThrow(RedisUnreachable);
      await store.run((client) => client.set(kept, 'written meanwhile'));
      await cluster.letReplicasTakeOver(true);
      await untilItWorks('its replica answers', () =>
        store.run((client) => client.set(lost, 'written after')),
      );
      let after = before;
      await untilItWorks('each primary answers', async () => (after = await store.identity()));
      expect(after).not.toBe(before);
      // Otherwise it would take its slots back on a machine that is busy for 3 s.
      await cluster.letReplicasTakeOver(false);
      await down.restart();
      // For a moment, none may have the slot.
      await untilItWorks('the server follows its replica', async () =>
        expect(await cluster.primaryOf(lost)).not.toBe(down),
      );
      expect(await store.run((client) => client.get(lost))).toBe('written after');
      expect(await store.run((client) => client.get(kept))).toBe('written meanwhile');
    });
  });

  describe('a server that Sentinels watch', () => {
    let watched: WatchedRedis;

    beforeAll(async () => {
      watched = await startWatchedRedis();
    });
    afterAll(() => watched?.stop());

    it('is replaced by its replica, which the connection follows although the Sentinel that it asks first hangs', async () => {
      store = await open(watched.url);
      await until('the server answers', answers);
      await store.run((client) => client.set('a', '1'));
      await store.run((client) => client.wait(1, PATIENCE_MS));
      await watched.sentinels[0]!.pause();
      // It does not take over before it is asked for.
      await watched.replica.pause();
      await watched.primary.kill();
      await expect(store.run((client) => client.get('a'))).rejects.toThrow(RedisUnreachable);
      watched.replica.resume();
      await untilItWorks('the replica takes writes', () => store.run((client) => client.incr('a')));
      expect(await store.run((client) => client.get('a'))).toBe('2');
      expect(await store.run((client) => client.info('replication'))).toMatch(/^role:master/m);
      watched.sentinels[0]!.resume();
    });
  });
});
