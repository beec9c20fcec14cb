import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Latency } from 'toxiproxy-node-client';
import { freePort } from '../../servers/ports.ts';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { describeOnServers } from '../../servers/suite.ts';
import { startToxiproxy, type ToxiproxyServer } from '../../servers/toxiproxy.ts';

const needs = { env: process.env, own: ['toxiproxy', 'redis'] } as const;

await describeOnServers('Toxiproxy, started natively, before Redis', needs, () => {
  let redis: RedisServer;
  let toxiproxy: ToxiproxyServer;
  let address: { readonly listen: string; readonly upstream: string };

  beforeAll(async () => {
    [redis, toxiproxy] = await Promise.all([startRedis(), startToxiproxy()]);
    address = { listen: `127.0.0.1:${await freePort()}`, upstream: redis.url.slice('redis://'.length) };
    await toxiproxy.client.createProxy({ name: 'redis', ...address });
  });
  afterAll(() => Promise.all([redis.stop(), toxiproxy.stop()]));

  const connect = (): Redis => {
    const client = new Redis(`redis://${address.listen}`, {
      retryStrategy: () => 50,
      maxRetriesPerRequest: 0,
    });
    client.on('error', () => undefined);
    return client;
  };

  it('cuts a connection and lets it come back', async () => {
    const proxy = await toxiproxy.client.get('redis');
    const client = connect();
    try {
      expect(await client.ping()).toBe('PONG');
      await proxy.update({ ...address, enabled: false });
      await expect(client.ping()).rejects.toThrow();
      // The client is back before the answer, where that comes late.
      const back = new Promise((resolve) => client.once('ready', resolve));
      await proxy.update({ ...address, enabled: true });
      await back;
      expect(await client.ping()).toBe('PONG');
    } finally {
      client.disconnect();
    }
  });

  it('slows a connection down', async () => {
    const proxy = await toxiproxy.client.get('redis');
    const client = connect();
    try {
      await client.ping();
      const toxic = await proxy.addToxic<Latency>({
        name: 'slow',
        type: 'latency',
        stream: 'downstream',
        toxicity: 1,
        attributes: { latency: 300, jitter: 0 },
      });
      const asked = performance.now();
      await client.ping();
      expect(performance.now() - asked).toBeGreaterThan(290);
      await toxic.remove();
    } finally {
      client.disconnect();
    }
  });
});
