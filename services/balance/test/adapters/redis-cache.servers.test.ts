import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
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
    cache = createRedisCache(await openRedis(generous, lifecycle, logger), logger);
  });

  afterAll(async () => {
    await lifecycle.shutdown('test');
    await server.stop();
  });

  describeAnswerCache(() => cache);

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
