import { createHttpServer } from '@hindsight/http/server.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { describe, expect, it } from '@jest/globals';
import { acceptForms } from './forms.ts';

describe('a form', () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  const app = createHttpServer({ logger, lifecycle: createLifecycle(logger) });
  acceptForms(app);
  app.post('/', (request) => request.body);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const send = (payload: string) => app.inject({ method: 'POST', url: '/', headers, payload });

  it('is read as URLSearchParams reads it', async () => {
    for (const text of ['a=+b+%2B&c+d=e+', 'a=%20%zz%', 'a=é%C3%A9+😀', '?a=1', 'a&b=&=c', '+=+&%2B=%2b']) {
      expect((await send(text)).json()).toEqual(Object.fromEntries(new URLSearchParams(text)));
    }
  });

  it('has the first value of a field', async () => {
    expect((await send('a=1&a=2')).json()).toEqual({ a: '1' });
  });

  it('has at most twenty fields', async () => {
    expect((await send('a&'.repeat(19) + 'a')).statusCode).toBe(200);
    expect((await send('a&'.repeat(20) + 'a')).json()).toMatchObject({ statusCode: 400 });
  });

  it('as JSON has few values: the parser would take milliseconds for a body of brackets', async () => {
    const sendJson = (payload: object) => app.inject({ method: 'POST', url: '/', payload });
    expect((await sendJson({ a: ':'.repeat(150) })).json()).toEqual({ a: ':'.repeat(150) });
    expect((await sendJson(Array.from({ length: 200 }, () => []))).json()).toMatchObject({
      statusCode: 400,
      code: 'invalid_body',
    });
  });
});
