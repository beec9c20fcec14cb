/** The burst limit over three gateways on real servers. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
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
  }, 400_000);

  afterAll(() => fleet?.stop());

  it('share the burst limit: together never twice the rate over any ten seconds', async () => {
    // Low enough for a busy machine to exceed.
    const rate = 8;
    const { key } = await fleet.createProject(1_000_000, rate);
    // From here on every gateway knows the project.
    for (const url of fleet.urls) await untilAsked(url, key);
    const begun = performance.now();
    let [admitted, refused] = [0, 0];
    while (performance.now() - begun < 10_000 || refused === 0) {
      const urls = fleet.urls;
      const { statuses } = await hammer({ urls, path: CHEAP_PATH, key, requests: 45, connections: 3 });
      admitted += statuses[200] ?? 0;
      refused += statuses[429] ?? 0;
      await sleep(100);
    }
    const seconds = (performance.now() - begun) / 1_000;
    process.stdout.write(`burst: ${JSON.stringify({ admitted, refused, seconds })}\n`);
    // A busy machine may ask for less than its share.
    expect(admitted).toBeGreaterThanOrEqual((rate * 10) / 2);
    expect(admitted).toBeLessThanOrEqual(rate * 2 * seconds);
  });

  const untilAsked = async (url: string, key: string): Promise<void> => {
    await until('a gateway knows the project', async () => {
      const response = await fetch(url + CHEAP_PATH, { headers: { 'x-api-key': key } });
      await response.text();
      return response.status === 200;
    });
  };
});
