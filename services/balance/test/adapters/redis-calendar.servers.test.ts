import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openRedis, type RedisStore } from '@hindsight/stores/redis.ts';
import { createRedisCalendar } from '../../src/adapters/redis-calendar.ts';
import { describeBlockCalendar } from './block-calendar.contract.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

await describeOnServers('The calendar of blocks in Redis', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;
  let lifecycle: Lifecycle;
  let redis: RedisStore;

  beforeAll(async () => {
    server = await startRedis();
    lifecycle = createLifecycle(logger);
    redis = await openRedis({ url: server.url, answerWithinMs: 60_000 }, lifecycle, logger);
    // Opening does not wait for the server for more than two seconds.
    await untilItWorks('Redis answers', () => redis.check.check());
  });
  afterAll(async () => {
    await lifecycle.shutdown('test');
    await server.stop();
  });

  describeBlockCalendar((network) => createRedisCalendar(redis, network, logger));

  describe('without Redis', () => {
    it('is empty, and not known to be', async () => {
      const quick = await openRedis({ url: server.url }, lifecycle, logger);
      const calendar = createRedisCalendar(quick, 'eth-mainnet', logger);
      await server.pause();
      await calendar.clear();
      expect(await calendar.load()).toBeUndefined();
      server.resume();
    });
  });
});
