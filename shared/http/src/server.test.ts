import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createHttpServer, listen } from './server.ts';
import { askJson, type JsonAnswer } from '../test/support/ask-json.ts';

const logger = createLogger({ name: 'test', level: 'silent' });
let url: string;
let lifecycle: Lifecycle;
let nodeState: 'there' | 'down' | 'hanging' = 'there';

beforeAll(async () => {
  lifecycle = createLifecycle(logger);
  const check = async (): Promise<string> => {
    if (nodeState === 'down') throw new Error('the node is down');
    if (nodeState === 'hanging') await new Promise(() => undefined);
    return 'head 7';
  };
  const app = createHttpServer({ logger, lifecycle, checks: [{ name: 'node', check }] });
  app.get('/where', ({ raw, ip, headers }) => ({ url: raw.url, ip, forwarded: headers['x-forwarded-for'] }));
  url = await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 });
});

afterEach(() => void jest.useRealTimers());
afterAll(async () => void (await lifecycle.shutdown('test')));

const ask = (path: string, init?: RequestInit): Promise<JsonAnswer> => askJson(url + path, init);

describe('request ids', () => {
  it('are the caller’s where they are sane', async () => {
    const { headers } = await ask('/livez', { headers: { 'x-request-id': 'order-7:retry.1' } });
    expect(headers.get('x-request-id')).toBe('order-7:retry.1');
  });

  it.each(['', 'two words', 'x'.repeat(129), '<script>', '-leading'])(
    'are ours instead of %j',
    async (id) => {
      const { headers } = await ask('/livez', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('a request', () => {
  it('is read as it is usually spelled, and its peer is not believed about other addresses', async () => {
    const headers = { 'x-forwarded-for': '9.9.9.9:4711' };
    const seen = { url: '/where', ip: '127.0.0.1', forwarded: '9.9.9.9:4711' };
    expect((await ask('/wher%65?', { headers })).body).toEqual(seen);
  });

  it('has the address of a client that a trusted proxy names, without its port', async () => {
    const own = createLifecycle(logger);
    const app = createHttpServer({ logger, lifecycle: own, trustProxy: ['127.0.0.1'] });
    app.get('/ip', ({ ip }) => ({ ip }));
    const at = await listen(app, own, 'test', { host: '127.0.0.1', port: 0 });
    const { body } = await askJson(`${at}/ip`, { headers: { 'x-forwarded-for': '9.9.9.9:4711' } });
    expect(body).toEqual({ ip: '9.9.9.9' });
    await own.shutdown('test');
  });

  it('gets its own traceparent back', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect((await ask('/livez', { headers: { traceparent } })).headers.get('traceparent')).toBe(traceparent);
    expect((await ask('/livez', { headers: { traceparent: 'x' } })).headers.get('traceparent')).toBeNull();
  });
});

/** A report is kept for a second. */
const reportExpired = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 1_100));

describe('health', () => {
  it('reports what is available', async () => {
    expect(await ask('/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', parts: [{ name: 'node', ok: true, detail: 'head 7' }] },
    });
    expect((await ask('/livez')).status).toBe(200);
  });

  it.each([
    ['down', 'the node is down'],
    ['hanging', 'no answer within 1500 ms'],
  ] as const)('says what is missing when a part is %s, while the process lives', async (state, detail) => {
    nodeState = state;
    await reportExpired();
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      body: { parts: [{ name: 'node', ok: false, detail }] },
    });
    expect((await ask('/livez')).status).toBe(200);
    nodeState = 'there';
  });

  it('holds while one of a group does, with a line for each', async () => {
    const there = new Set(['one', 'other']);
    const check = (name: string) => async (): Promise<string> => {
      if (!there.has(name)) throw new Error('gone');
      return 'there';
    };
    const checks = ['one', 'other'].map((name) => ({ name, anyOf: 'networks', check: check(name) }));
    const app = createHttpServer({ logger, lifecycle: createLifecycle(logger), checks });
    const statusAfter = async (gone: string): Promise<number> => {
      there.delete(gone);
      await reportExpired();
      return (await app.inject('/readyz')).statusCode;
    };
    expect(await statusAfter('one')).toBe(200);
    expect((await app.inject('/readyz')).json()).toMatchObject({
      status: 'ready',
      parts: [
        { name: 'one', ok: false, detail: 'gone' },
        { name: 'other', ok: true, detail: 'there' },
      ],
    });
    expect(await statusAfter('other')).toBe(503);
  });

  it('is checked once for concurrent callers, and again after a second', async () => {
    let checked = 0;
    const checks = [{ name: 'node', check: async () => `check ${++checked}` }];
    const app = createHttpServer({ logger, lifecycle: createLifecycle(logger), checks });
    await app.ready();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    await Promise.all(Array.from({ length: 200 }, () => app.inject('/readyz')));
    jest.advanceTimersByTime(999);
    const detail = async (): Promise<unknown> => (await app.inject('/readyz')).json().parts[0].detail;
    expect([await detail(), checked]).toEqual(['check 1', 1]);
    jest.advanceTimersByTime(1);
    expect(await detail()).toBe('check 2');
  });
});

describe('shutdown', () => {
  it('finishes running requests, then accepts nothing more', async () => {
    const own = createLifecycle(logger);
    const app = createHttpServer({ logger, lifecycle: own });
    const arrived = new Promise<void>((arrive) => {
      app.get('/slow', async () => {
        arrive();
        return new Promise((resolve) => setTimeout(() => resolve({ slow: true }), 300));
      });
    });
    const at = await listen(app, own, 'test', { host: '127.0.0.1', port: 0 });
    const running = fetch(`${at}/slow`);
    await arrived;
    const stopped = own.shutdown('test');
    expect((await app.inject('/readyz')).json()).toMatchObject({
      status: 'not ready',
      parts: [{ name: 'process', ok: false, detail: 'shutting down' }],
    });
    const answer = await running;
    expect(answer.headers.get('connection')).toBe('close');
    expect(await answer.json()).toEqual({ slow: true });
    expect(await stopped).toBe(0);
    await expect(fetch(`${at}/slow`)).rejects.toThrow();
  });

  it('closes connections that no request came from, but none whose request is on its way', async () => {
    const own = createLifecycle(logger);
    const app = createHttpServer({ logger, lifecycle: own });
    const at = new URL(await listen(app, own, 'test', { host: '127.0.0.1', port: 0 }));
    const accepted: Socket[] = [];
    app.server.on('connection', (socket: Socket) => void accepted.push(socket));
    const [silent, slow] = [connect(Number(at.port)), connect(Number(at.port))];
    slow.write('GET /livez HTTP/1.1\r\n');
    const isRead = (socket: Socket): boolean => socket.bytesRead > 0;
    await until('both are accepted, and one is read', () => accepted.length === 2 && accepted.some(isRead));
    const stopped = own.shutdown('test');
    await Promise.race([once(silent.resume(), 'close'), stopped]);
    slow.end('host: test\r\n\r\n');
    const answer = await text(slow);
    silent.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(await stopped).toBe(0);
  });

  it.each([
    ['head', 'GET /livez HTTP/1.1\r\n'],
    [
      'body',
      'POST /slow HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{',
    ],
  ])('closes a connection with half a %s of a request, but none that it answers', async (_part, arrived) => {
    const own = createLifecycle(logger, 30_000);
    const app = createHttpServer({ logger, lifecycle: own });
    const [asked, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    app.post('/slow', async () => {
      asked.resolve();
      await closed.promise;
      return {};
    });
    const at = new URL(await listen(app, own, 'test', { host: '127.0.0.1', port: 0 }));
    const accepted: Socket[] = [];
    app.server.on('connection', (socket: Socket) => void accepted.push(socket));
    const half = connect(Number(at.port));
    half.write(arrived);
    await until('half of it is read', () => accepted.some((socket) => socket.bytesRead > 0));
    const headers = { 'content-type': 'application/json' };
    const running = fetch(new URL('/slow', at), { method: 'POST', headers, body: '{}' });
    await asked.promise;
    const stopped = own.shutdown('test');
    await Promise.race([once(half.resume(), 'close'), stopped]);
    closed.resolve();
    expect((await running).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('answers on a connection whose first bytes arrive while the process is busy', async () => {
    const own = createLifecycle(logger);
    const app = createHttpServer({ logger, lifecycle: own });
    const at = new URL(await listen(app, own, 'test', { host: '127.0.0.1', port: 0 }));
    const client = connect(Number(at.port));
    await once(app.server, 'connection');
    const stopped = own.shutdown('test');
    await until('it is closing', () => !app.server.listening);
    // Timers come next, and only then what has arrived.
    await setImmediate();
    client.write('GET /livez HTTP/1.1\r\nhost: test\r\n\r\n');
    for (const end = performance.now() + 300; performance.now() < end;);
    expect(await text(client)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await stopped).toBe(0);
  });
});
