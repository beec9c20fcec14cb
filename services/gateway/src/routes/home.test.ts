import { describe, expect, it } from '@jest/globals';
import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { addHome } from './home.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
const PORTAL = 'https://portal.example';

const ask = (url: string, accept = '*/*', portal: string | undefined = PORTAL) => {
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  addHome(app, () => (portal === '' ? undefined : portal));
  return app.inject({ url, headers: { accept } });
};

describe('the first page of the gateway', () => {
  it('leads programs to the documents', async () => {
    const { statusCode, body } = await ask('/');
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      docs: `${PORTAL}/docs`,
      reference: `${PORTAL}/reference`,
      openapi: `${PORTAL}/openapi.json`,
    });
  });

  it('leads people to them', async () => {
    const { headers, body } = await ask('/', 'text/html,application/xhtml+xml,*/*;q=0.8');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toContain(`<a href="${PORTAL}/reference">`);
  });

  it('is there without a portal too', async () => {
    expect(JSON.parse((await ask('/', '*/*', '')).body)).not.toHaveProperty('docs');
    expect((await ask('/docs/errors', '*/*', '')).statusCode).toBe(404);
  });
});

describe('the documents', () => {
  it.each([
    '/docs',
    '/docs/errors',
    '/reference',
    '/reference/get-token-balance',
    '/openapi.json',
    '/favicon.ico',
  ])('are at the portal: %s', async (path) => {
    const { statusCode, headers } = await ask(path);
    expect([statusCode, headers.location]).toEqual([302, PORTAL + path]);
  });

  it('are asked for without the query, which may have a key in it', async () => {
    const { headers } = await ask('/docs/errors?projectId=hs_secret');
    expect(headers.location).toBe(`${PORTAL}/docs/errors`);
  });
});
