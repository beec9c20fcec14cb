/** Redis with a password, over TLS: `rediss://user:password@host`. */
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { makeCertificate } from '@hindsight/tools/servers/certificate.ts';
import { type RedisServer, startRedis } from '@hindsight/tools/servers/redis.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import tls from 'node:tls';
import { openRedis, type RedisStore } from '../src/redis.ts';

const PASSWORD = 'hunter2 of redis, 100%';
const PATIENCE_MS = 60_000;

await describeOnServers('a secured Redis', { env: process.env, own: ['redis'] }, () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ name: 'test', level: 'trace', destination });
  const trusted = tls.getCACertificates('default');
  let authority: string;
  let server: RedisServer;
  let lifecycle: Lifecycle;

  beforeAll(async () => {
    const certificate = await makeCertificate();
    authority = certificate.cert;
    server = await startRedis({ secured: { certificate, password: PASSWORD } });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    lines.length = 0;
    lifecycle = createLifecycle(logger);
    // As NODE_EXTRA_CA_CERTS does at the start of a process.
    tls.setDefaultCACertificates([...trusted, authority]);
  });
  afterEach(async () => {
    tls.setDefaultCACertificates(trusted);
    await lifecycle.shutdown('end of test');
    expect(lines.join('')).not.toContain('hunter2');
  });

  const open = (password: string): Promise<RedisStore> => {
    const { host } = new URL(server.url);
    const url = `rediss://default:${encodeURIComponent(password)}@${host}`;
    return openRedis({ url, answerWithinMs: PATIENCE_MS }, lifecycle, logger);
  };
  const untilLogged = (what: RegExp): Promise<void> =>
    until(`${what} is in the log`, () => lines.some((line) => what.test(line)));

  it('answers who has the password', async () => {
    const store = await open(PASSWORD);
    await until('it answers', () => store.check.check().then(Boolean, () => false));
    await store.run((client) => client.set('a', '1'));
    expect(await store.run((client) => client.get('a'))).toBe('1');
  });

  it('says so where the password is another', async () => {
    const store = await open(`not ${PASSWORD}`);
    await untilLogged(/WRONGPASS|NOAUTH/);
    await expect(store.check.check()).rejects.toThrow();
  });

  it('says so where its certificate is not trusted', async () => {
    tls.setDefaultCACertificates(trusted);
    const store = await open(PASSWORD);
    await untilLogged(/certificate/);
    await expect(store.check.check()).rejects.toThrow('Redis is not reachable');
  });
});
