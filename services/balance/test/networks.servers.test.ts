import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startRedis, type RedisServer } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { untilItWorks } from '@hindsight/kernel/test/support/until.ts';
import { openRedis } from '@hindsight/stores/redis.ts';
import { describeNetworks } from './networks.contract.ts';

await describeOnServers('Networks on one Redis', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server.stop();
  });

  describeNetworks(() => server.url);

  it('every key names its network', async () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    const lifecycle = createLifecycle(logger);
    const redis = await openRedis({ url: server.url, answerWithinMs: 60_000 }, lifecycle, logger);
    // Opening does not wait for the server for more than two seconds.
    await untilItWorks('Redis answers', () => redis.check.check());
    const keys = await redis.run((client) => client.keys('*'));
    await lifecycle.shutdown('test');
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys)
      expect(key).toMatch(/^hindsight:(?:answer|calendar):1:(?:first|second)-net(?::|$)/);
  });
});
