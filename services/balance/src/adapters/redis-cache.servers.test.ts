import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RedisServer } from '@hindsight/deploy/servers/redis.ts';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { openRedis } from '@hindsight/shared/stores/redis.ts';
import type { AnswerCache } from '../ports.ts';
import { answerCacheContract } from './answer-cache.contract.ts';
import { createRedisCache } from './redis-cache.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

await describeOnServers('Answers in Redis', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;
  let lifecycle: Lifecycle;
  let cache: AnswerCache;

  beforeAll(async () => {
    server = await startRedis();
    lifecycle = createLifecycle(logger);
    cache = createRedisCache(await openRedis({ url: server.url }, lifecycle, logger), logger);
  });

  afterAll(async () => {
    await lifecycle.shutdown('test');
    await server.stop();
  });

  answerCacheContract(() => cache);

  describe('without Redis', () => {
    it('an answer is not found, soon, and there again when Redis is', async () => {
      const key = randomUUID();
      await cache.set(key, 'kept');
      await server.pause();
      const begun = performance.now();
      expect(await cache.get(key)).toBeUndefined();
      await cache.set(key, 'lost');
      expect(performance.now() - begun).toBeLessThan(3_000);
      server.resume();
      for (let i = 0; i < 50 && (await cache.get(key)) === undefined; i++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(await cache.get(key)).toMatch(/^(?:kept|lost)$/);
    });
  });
});
