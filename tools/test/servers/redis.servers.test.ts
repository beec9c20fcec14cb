import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis } from '../../servers/redis.ts';
import { describeOnServers } from '../../servers/suite.ts';

await describeOnServers('Redis, started natively', { env: process.env, own: ['redis'] }, () => {
  let server: RedisServer;
  let client: Redis;

  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.url);
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });

  it('keeps what it has acknowledged over a kill', async () => {
    await client.set('kept', 'yes');
    await server.kill();
    await server.restart();
    expect(await client.get('kept')).toBe('yes');
  });

  it('answers nothing while paused, and again after resume', async () => {
    const impatient = new Redis(server.url, { commandTimeout: 500 });
    impatient.on('error', () => undefined);
    try {
      // Connected, so that what times out is the answer.
      await impatient.ping().catch(() => undefined);
      await server.pause();
      await expect(impatient.get('kept')).rejects.toThrow('timed out');
    } finally {
      server.resume();
      impatient.disconnect();
    }
    expect(await client.get('kept')).toBe('yes');
  });

  it('writes its append-only file before each answer, or each second if asked to', async () => {
    expect(await client.config('GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
    const other = await startRedis({ appendfsync: 'everysec' });
    const otherClient = new Redis(other.url);
    try {
      expect(await otherClient.config('GET', 'appendfsync')).toEqual(['appendfsync', 'everysec']);
    } finally {
      otherClient.disconnect();
      await other.stop();
    }
  });

  it('listens on loopback only', async () => {
    expect(await client.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
  });
});
