import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { until, untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import type { AnswerCache } from '../../src/ports.ts';
import { describeAnswerCache } from './answer-cache.contract.ts';
import { createRedisCache } from '../../src/adapters/redis-cache.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

await describeOnServers('Answers in Redis', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;
  let lifecycle: Lifecycle;
  let cache: AnswerCache;

  beforeAll(async () => {
    server = await startRedis();
    lifecycle = createLifecycle(logger);
    // In production an answer has 100 ms; a cache that is late counts as empty.
    const generous = { url: server.url, answerWithinMs: 60_000 };
    const redis = await openRedis(generous, lifecycle, logger);
    // Opening does not wait for the server for more than two seconds.
    await untilItWorks('Redis answers', () => redis.check.check());
    cache = createRedisCache(redis, logger);
  });

  afterAll(async () => {
    await lifecycle.shutdown('test');
    await server.stop();
  });

  describeAnswerCache(() => cache);

  it('drops an answer that was not asked for in a day', async () => {
    const key = randomUUID();
    await cache.set(key, 'kept');
    const client = new Redis(server.url);
    try {
      const [name = ''] = await client.keys(`*${key}`);
      const isOfADay = async (): Promise<void> => {
        const left = await client.ttl(name);
        expect(left).toBeGreaterThan(80_000);
        expect(left).toBeLessThanOrEqual(86_400);
      };
      await isOfADay();
      await client.expire(name, 10_000);
      expect(await cache.get(key)).toBe('kept');
      await isOfADay();
    } finally {
      client.disconnect();
    }
  });

  it('replaces answers where Redis has no room, and not the calendar of blocks', async () => {
    const client = new Redis(server.url);
    const used = /used_memory:(\d+)/.exec(await client.info('memory'))?.[1];
    await client.config('SET', 'maxmemory-policy', 'volatile-lfu');
    await client.hset('calendar', 'hour', 'a block');
    await client.config('SET', 'maxmemory', String(Number(used) + 1_000_000));
    try {
      for (let n = 0; n < 4_000; n++) await cache.set(`many ${n}`, 'x'.repeat(500));
      expect(await client.exists('calendar')).toBe(1);
      // Redis drops some of them by chance.
      let kept = 0;
      for (let n = 0; n < 4_000; n++) if ((await cache.get(`many ${n}`)) !== undefined) kept += 1;
      expect(kept).toBeGreaterThan(0);
      expect(kept).toBeLessThan(4_000);
      expect(Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))?.[1])).toBeGreaterThan(0);
    } finally {
      await client.config('SET', 'maxmemory', '0');
      client.disconnect();
    }
  });

  describe('without Redis', () => {
    it('an answer is quickly not found, and found again once Redis is back', async () => {
      const key = randomUUID();
      await cache.set(key, 'kept');
      const quick = createRedisCache(await openRedis({ url: server.url }, lifecycle, logger), logger);
      await server.pause();
      const begun = performance.now();
      expect(await quick.get(key)).toBeUndefined();
      await quick.set(key, 'lost');
      expect(performance.now() - begun).toBeLessThan(60_000);
      server.resume();
      let found: string | undefined;
      await until('it is there again', async () => (found = await quick.get(key)) !== undefined);
      expect(found).toMatch(/^(?:kept|lost)$/);
    });
  });
});
