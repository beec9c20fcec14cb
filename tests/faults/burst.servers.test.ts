/** The burst limit over three gateways on real servers. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { withDatabase } from '@hindsight/deploy/servers/mongodb-database.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHEAP_PATH, Fleet } from '../support/gateway-fleet.ts';
import { hammer } from '../support/hammer.ts';

const needs = { env: process.env, shared: ['mongodb', 'kafka', 'redis'] } as const;

await describeOnServers('three gateways', needs, ({ mongodb, kafka, redis }) => {
  let fleet: Fleet;

  beforeAll(async () => {
    const mongodbUrl = withDatabase(mongodb.address, `burst-${randomUUID()}`);
    fleet = await Fleet.start({ mongodbUrl, brokers: kafka.address, redisUrl: redis.address }, 3);
  }, 120_000);

  afterAll(() => fleet?.stop(), 60_000);

  it('share out the burst limit: together never twice the rate over any ten seconds', async () => {
    const rate = 20;
    const { key } = await fleet.createProject(1_000_000, rate);
    const end = Date.now() + 10_000;
    let admitted = 0;
    while (Date.now() < end) {
      const urls = fleet.urls;
      const { statuses } = await hammer({ urls, path: CHEAP_PATH, key, requests: 90, connections: 3 });
      admitted += statuses[200] ?? 0;
      await sleep(100);
    }
    expect(admitted).toBeGreaterThanOrEqual(rate * 10);
    expect(admitted).toBeLessThanOrEqual(rate * 20);
  }, 60_000);
});
