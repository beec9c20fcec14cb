/** Forwarding of a request to the service and of the answer to the client, also when either is aborted. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { BALANCE, PLENTY, startGatewayWorld, startWithProject } from './support/gateway-world.ts';

const UPSTREAM_TIMEOUT_MS = 400;

const world = forAllTests(startWithProject, 'close');

beforeEach(() => {
  world.service.received.length = 0;
  world.service.answer = (_request, response) => response.end('{"balance":"1"}');
});

const ask = (
  path: string,
  headers: Record<string, string> = { 'x-api-key': world.key },
  init: RequestInit = {},
): Promise<Response> => fetch(world.url + path, { headers, ...init });

/** A request whose headers are sent unchanged; fetch would drop some. */
function send(path: string, headers: Record<string, string>, body?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(world.url + path, { method: 'GET', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end(body);
  });
}

describe('forwarding', () => {
  it('sends what the client sent, and says who is asking', async () => {
    await send(`${BALANCE}?holder=x`, {
      'x-api-key': world.key,
      'x-request-id': 'mine-1',
      'accept-encoding': 'br',
      'if-none-match': '"e"',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      connection: 'close, x-secret-hop',
      'x-secret-hop': '1',
      'x-hindsight-project': 'forged',
      'x-forwarded-for': '6.6.6.6',
      cookie: 'a=b',
      te: 'trailers',
    });
    const { headers, url, method } = world.service.received[0]!;
    expect([method, url]).toEqual(['GET', `${BALANCE}?holder=x`]);
    expect(headers).toMatchObject({
      'x-request-id': 'mine-1',
      'accept-encoding': 'br',
      'x-hindsight-project': world.id,
      'x-hindsight-plan': 'enterprise',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    });
    expect(headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-/);
    for (const name of ['x-api-key', 'x-secret-hop', 'cookie', 'te', 'transfer-encoding', 'if-none-match'])
      expect(headers).not.toHaveProperty(name);
  });

  it('sends the answer back as it is, without hop-by-hop headers', async () => {
    world.service.answer = (_request, response) => {
      response.writeHead(404, {
        'content-type': 'application/json',
        etag: '"7"',
        'keep-alive': 'timeout=1',
        'x-hindsight-internal': '1',
      });
      response.end('{"message":"no"}');
    };
    const response = await ask(BALANCE, { 'x-api-key': world.key, 'x-request-id': 'mine-2' });
    expect([response.status, await response.text()]).toEqual([404, '{"message":"no"}']);
    expect(response.headers.get('etag')).toMatch(/^"7\.[\w-]{43}"$/);
    expect(response.headers.get('x-request-id')).toBe('mine-2');
    expect(response.headers.has('x-hindsight-internal')).toBe(false);
  });

  it('gives a tag that is known again on every gateway: only that one reaches the service', async () => {
    world.service.answer = (_request, response) => response.writeHead(200, { etag: '"7"' }).end();
    const tag = (await ask(`${BALANCE}?holder=x`)).headers.get('etag')!;
    const other = await startGatewayWorld();
    try {
      const { key: otherKey } = await other.addProject(PLENTY);
      other.service.answer = world.service.answer;
      const list = `"7", ${tag}, *`;
      const headers = { 'x-api-key': otherKey, 'if-none-match': list };
      const answer = await fetch(`${other.url}${BALANCE}?holder=x`, { headers });
      expect(answer.headers.get('etag')).toBe(tag);
      await fetch(`${other.url}${BALANCE}?holder=y`, { headers });
      const received = other.service.received.map((request) => request.headers['if-none-match']);
      expect(received).toEqual(['"7"', undefined]);
    } finally {
      await other.close();
    }
  });

  it('streams a large answer completely', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    world.service.answer = (_request, response) => {
      for (let i = 0; i < 200; i++) response.write(chunk);
      response.end();
    };
    const bytes = await (await ask(BALANCE)).arrayBuffer();
    expect(bytes.byteLength).toBe(200 * chunk.length);
  });

  it('answers HEAD like GET, without a body', async () => {
    world.service.answer = (_request, response) => response.writeHead(200, { 'content-length': 15 }).end();
    const response = await ask(BALANCE, { 'x-api-key': world.key }, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '15',
      '',
    ]);
    expect(world.service.received[0]!.method).toBe('HEAD');
  });

  it.each([
    [200, 'HEAD'],
    [304, 'HEAD'],
    [304, 'GET'],
  ])('names no length of a body that is left out: %i of %s', async (status, method) => {
    world.service.answer = (_request, response) => response.writeHead(status, { 'content-length': 0 }).end();
    const response = await ask(BALANCE, { 'x-api-key': world.key }, { method });
    expect([response.status, response.headers.get('content-length')]).toEqual([status, null]);
  });

  it('drops the body of a GET', async () => {
    const headers = { 'x-api-key': world.key, 'content-type': 'application/json', 'content-length': '9' };
    const status = await send(BALANCE, headers, '{"a":"b"}');
    expect(status).toBe(200);
    expect(world.service.received[0]!.headers).not.toHaveProperty('content-length');
  });

  it('cancels the service’s work when the client leaves', async () => {
    const abort = new AbortController();
    const left = new Promise<void>((resolve) => {
      world.service.answer = (_request, response) => {
        response.on('close', resolve);
        abort.abort();
      };
    });
    const asked = ask(BALANCE, { 'x-api-key': world.key }, { signal: abort.signal });
    await expect(asked).rejects.toThrow();
    await left;
  });

  it('aborts an answer that the service aborted', async () => {
    world.service.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      setTimeout(() => response.destroy(), 50);
    };
    await expect(ask(BALANCE).then((response) => response.text())).rejects.toThrow();
  });
});

describe('a service that', () => {
  it('hangs causes a 504 within the timeout, which is not counted', async () => {
    // A separate world, so that the other cases keep their time limits.
    const impatient = await startGatewayWorld({ upstreamTimeoutMs: UPSTREAM_TIMEOUT_MS });
    try {
      const own = await impatient.addProject({ ...PLENTY, monthlyLimit: 1 });
      impatient.service.answer = () => undefined;
      const headers = { 'x-api-key': own.key };
      const begun = performance.now();
      for (let n = 0; n < 2; n++) {
        const response = await fetch(impatient.url + BALANCE, { headers });
        expect(response.status).toBe(504);
        expect(await response.json()).toMatchObject({ error: 'Gateway Timeout', statusCode: 504 });
      }
      expect(performance.now() - begun).toBeLessThan(2 * (UPSTREAM_TIMEOUT_MS + 60_000));
    } finally {
      await impatient.close();
    }
  });

  it('has a full queue causes a 503 with Retry-After at once, which is not counted', async () => {
    const crowded = await startGatewayWorld({ limits: { atOnce: 1, waiting: 1 } });
    try {
      const { key: own } = await crowded.addProject({ ...PLENTY, monthlyLimit: 3 });
      const get = (): Promise<Response> => fetch(crowded.url + BALANCE, { headers: { 'x-api-key': own } });
      let answer = (): void => undefined;
      crowded.service.answer = (_request, response) => (answer = () => response.end('{}'));
      const first = get();
      await until('the service has the first', () => crowded.service.received.length === 1);
      const others = [get(), get()];
      const refused = await Promise.race(others);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await refused.json()).toMatchObject({
        message: 'Too many requests are waiting for this service.',
      });
      crowded.service.answer = (_request, response) => response.end('{}');
      answer();
      const answered = await Promise.all([first, ...others]);
      expect(answered.map(({ status }) => status).sort()).toEqual([200, 200, 503]);
      const more = [await get(), await get()];
      expect(more.map(({ status }) => status)).toEqual([200, 429]);
    } finally {
      await crowded.close();
    }
  });

  it('has answered goes on with the next request, though its answer is not read', async () => {
    const narrow = await startGatewayWorld({ limits: { atOnce: 1, waiting: 1 } });
    try {
      const { key } = await narrow.addProject(PLENTY);
      const headers = { 'x-api-key': key };
      // More than the buffers of all sockets on the way.
      narrow.service.answer = (_request, response) => response.end(Buffer.alloc(32 * 1024 * 1024));
      const unread = httpRequest(narrow.url + BALANCE, { headers, agent: false }).end();
      await new Promise((resolve) => unread.once('response', (response) => resolve(response.pause())));
      narrow.service.answer = (_request, response) => response.end('{}');
      expect(await (await fetch(narrow.url + BALANCE, { headers })).text()).toBe('{}');
      unread.on('error', () => undefined).destroy();
    } finally {
      await narrow.close();
    }
  });

  it('is unavailable causes a 503 with Retry-After', async () => {
    world.service.answer = (_request, response) => response.destroy();
    const response = await ask(BALANCE);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ error: 'Service Unavailable' });
  });
});
