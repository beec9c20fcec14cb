/** Requests and what ends them, at an API that is a function. The rest is tests/clients/client.test.ts. */
import { describe, expect, it } from '@jest/globals';
import { createClient, type Client } from './client.ts';
import type { ClientOptions, Outcome } from './transport.ts';

const LEFT = new Error('enough');
const open = (fetch: () => Promise<Response>, more: Partial<ClientOptions> = {}): Client =>
  createClient({ apiKey: 'hs_key', url: 'http://127.0.0.1', fetch, ...more });
/** An answer that never ends, not even when it is aborted. */
const endless = (): Response =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(Buffer.from('{')) }));

describe('an error', () => {
  it.each([
    [400, 'InvalidRequest'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [405, 'InvalidRequest'],
    [422, 'InvalidRequest'],
    [429, 'RateLimited'],
    [499, 'InvalidRequest'],
    [500, 'ServerError'],
    [503, 'ServerError'],
  ])('of status %i is a %s, whatever else the answer has', async (status, name) => {
    const headers = { 'x-request-id': 'r-1', 'retry-after': 'soon' };
    const outcomes: Outcome[] = [];
    const onResponse = (_attempt: unknown, outcome: Outcome): void => void outcomes.push(outcome);
    const fetch = async (): Promise<Response> => new Response('null', { status, headers });
    const error: unknown = await open(fetch, { retries: 0, onResponse })
      .usage()
      .catch((fault: unknown) => fault);
    const code = undefined;
    expect(error).toMatchObject({ name, status, message: `HTTP ${status}`, code, requestId: 'r-1' });
    // A moment that cannot be read is none.
    expect(error).not.toMatchObject({ retryAtMs: expect.anything() });
    expect(error).not.toMatchObject({ retryAt: expect.anything() });
    expect(outcomes).toEqual([{ status, ms: expect.any(Number), error }]);
  });
});

describe('a caller that leaves', () => {
  it('before the request waits for no answer', async () => {
    const asked = open(() => new Promise(() => undefined)).usage(AbortSignal.abort(LEFT));
    await expect(asked).rejects.toBe(LEFT);
  });

  it('in an answer does not wait for its end', async () => {
    const leaving = new AbortController();
    const onResponse = (): void => leaving.abort(LEFT);
    const asked = open(async () => endless(), { onResponse }).usage(leaving.signal);
    await expect(asked).rejects.toBe(LEFT);
  });

  it('before another attempt has none', async () => {
    const leaving = new AbortController();
    let requests = 0;
    const fetch = async (): Promise<Response> => {
      requests += 1;
      return new Response('', { status: 503 });
    };
    const onResponse = (): void => leaving.abort(LEFT);
    await expect(open(fetch, { onResponse }).usage(leaving.signal)).rejects.toBe(LEFT);
    expect(requests).toBe(1);
  });
});

it('an answer that stands still is late, and is asked for again', async () => {
  let requests = 0;
  const fetch = async (): Promise<Response> => {
    requests += 1;
    return requests === 1 ? endless() : Response.json({ plan: 'free' });
  };
  expect(await open(fetch, { timeoutMs: 20, retries: 1 }).usage()).toEqual({ plan: 'free' });
  await expect(open(async () => endless(), { timeoutMs: 20, retries: 0 }).usage()).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'no answer within 20 ms',
  });
});
