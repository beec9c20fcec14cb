/** Gateways and the metering service on real servers, while processes and servers fail: one world for all of it. */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { startKafka } from '@hindsight/tools/servers/kafka.ts';
import { startMongodb } from '@hindsight/tools/servers/mongodb.ts';
import { startRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { Fleet } from '../support/gateway-fleet.ts';
import { untilMonthLasts } from '../support/one-month.ts';
import { describeBurst } from './gateways/burst.ts';
import { describeLimit } from './gateways/limit.ts';
import { describeUsage } from './gateways/usage.ts';
import { describeWorkers } from './gateways/workers.ts';
import type { World } from './gateways/world.ts';

await describeOnServers('gateways', { env: process.env, own: ['kafka', 'mongodb', 'redis'] }, () => {
  let world: World;

  beforeAll(async () => {
    await untilMonthLasts();
    const [kafka, mongodb, redis] = await Promise.all([startKafka(), startMongodb(), startRedis()]);
    const addresses = {
      mongodbUrl: `${mongodb.url}/gateways`,
      brokers: kafka.brokers,
      redisUrl: redis.url,
    };
    world = { kafka, mongodb, redis, fleet: await Fleet.start(addresses, 3) };
  });

  afterAll(async () => {
    const { fleet, kafka, mongodb, redis } = world;
    await fleet.stop();
    await Promise.all([kafka, mongodb, redis].map((server) => server.stop()));
  });

  describe('the burst limit', () => describeBurst(() => world));
  describe('the monthly limit', () => describeLimit(() => world));
  describe('usage', () => describeUsage(() => world));
  describe('workers of one gateway', () => describeWorkers(() => world));
});
