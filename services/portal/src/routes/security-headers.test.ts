/** The gateway by an IPv6 address, in the headers of pages. */
import { expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { addSecurityHeaders, sandboxHeaders } from './security-headers.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const POLICY = 'content-security-policy';

it.each([
  ['https://[2001:db8::1]:8443', 'https://*:8443'],
  ['http://[::1]', 'http://*'],
  ['https://api.example.org', 'https://api.example.org'],
])('a page may call the gateway at %s, for which browsers take %s', async (apiOrigin, source) => {
  await using app = createHttpServer({ logger, lifecycle: createLifecycle(logger), checks: [] });
  addSecurityHeaders(app, { apiOrigin, https: false });
  app.get('/', () => '');
  const { headers } = await app.inject('/');
  expect(headers[POLICY]).toContain(`connect-src 'self' ${source};`);
  expect(sandboxHeaders(apiOrigin)[POLICY]).toContain(`connect-src ${source};`);
});
