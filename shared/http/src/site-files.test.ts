import { describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createHttpServer } from './server.ts';
import { addSiteFiles } from './site-files.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const clock = { now: () => Date.UTC(2026, 10, 22) };

const ask = (path: string, securityContact?: string) => {
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  addSiteFiles(app, { disallowed: ['/account', '/dashboard'], securityContact, clock });
  return app.inject(path);
};

describe('the files of a site', () => {
  it('keep crawlers away from some pages', async () => {
    const { body, headers } = await ask('/robots.txt');
    expect([headers['content-type'], body]).toEqual([
      'text/plain; charset=utf-8',
      'User-agent: *\nDisallow: /account\nDisallow: /dashboard\n',
    ]);
  });

  it('say where to report a vulnerability, for a year', async () => {
    const { body } = await ask('/.well-known/security.txt', 'mailto:security@example.org');
    expect(body).toBe(
      'Contact: mailto:security@example.org\nExpires: 2027-11-22T00:00:00.000Z\nPreferred-Languages: en\n',
    );
  });

  it('say nothing where there is no contact', async () => {
    expect((await ask('/.well-known/security.txt')).statusCode).toBe(404);
  });
});
