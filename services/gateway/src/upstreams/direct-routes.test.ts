import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { ApiError, unavailable } from '@hindsight/kernel/errors.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { readBody } from '@hindsight/http/body.ts';
import { directRoutes, type DirectExchange, type DirectRoute } from './direct-routes.ts';
import { createHttpServer, listen } from '@hindsight/http/server.ts';

const logged: string[] = [];
const logger = createLogger({
  name: 'test',
  level: 'debug',
  destination: { write: (line) => logged.push(line) },
});
const telemetry = createTelemetry();
const slowIsAsked = Promise.withResolvers<void>();
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Answers with what it received about the client. */
const whoAsks = async ({ response, headers, client, id }: DirectExchange): Promise<void> => {
  response.writeHead(200, [...headers, 'content-type', 'application/json']);
  response.end(JSON.stringify({ ...client, id }));
};

const routes: DirectRoute[] = [
  { methods: ['GET', 'HEAD'], path: '/v1/:network/who', handle: whoAsks },
  {
    methods: ['POST'],
    path: '/v1/:network/echo',
    async handle({ request, response, headers, bodyLimit }) {
      const body = await readBody(request, bodyLimit);
      response.writeHead(200, headers).end(body);
    },
  },
  {
    methods: ['GET'],
    path: '/broken',
    handle: () => Promise.reject(new Error('secret internals at 10.0.0.1')),
  },
  {
    methods: ['GET'],
    path: '/away',
    handle: () =>
      Promise.reject(unavailable('store_unavailable', 'The store is unavailable.', { seconds: 3 })),
  },
  {
    methods: ['GET'],
    path: '/full',
    handle: () => Promise.reject(new ApiError('overloaded', 'Too many at a time.', { quiet: true })),
  },
  {
    methods: ['GET'],
    path: '/slow',
    async handle({ response, headers }) {
      slowIsAsked.resolve();
      await new Promise((resolve) => setTimeout(resolve, 300));
      response.writeHead(200, headers).end('slow');
    },
  },
  {
    methods: ['GET'],
    path: '/half',
    handle({ response, headers }) {
      response.writeHead(200, [...headers, 'content-length', '100']);
      response.write('half');
      return Promise.reject(new ApiError('node_failed', 'too late'));
    },
  },
];

let lifecycle: Lifecycle;
let url: string;
let behindProxy: string;

beforeAll(async () => {
  lifecycle = createLifecycle(logger);
  const common = { logger, lifecycle, bodyLimit: 100, front: directRoutes(routes, { 'x-own': '1' }) };
  const app = createHttpServer({ ...common, observed: { service: 'test', telemetry } });
  app.get('/v1/other', () => ({ other: true }));
  url = await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 });
  const proxied = createHttpServer({ ...common, trustProxy: ['127.0.0.1', '10.0.0.0/8'] });
  proxied.get('/v1/other', ({ ip }) => ({ address: ip }));
  behindProxy = await listen(proxied, lifecycle, 'proxied', { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await lifecycle.shutdown('test');
  await telemetry.stop();
});

describe('an answer of a direct route', () => {
  it('carries the caller’s valid request id and trace, and the headers of every answer', async () => {
    const headers = { 'x-request-id': 'mine-1', traceparent: TRACEPARENT };
    const response = await fetch(`${url}/v1/x/who?a=1`, { headers });
    expect(await response.json()).toMatchObject({ address: '127.0.0.1', protocol: 'http', id: 'mine-1' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-request-id': 'mine-1',
      traceparent: TRACEPARENT,
      'x-own': '1',
    });
    const other = await fetch(`${url}/v1/x/who`, { headers: { 'x-request-id': '<script>' } });
    expect(other.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers HEAD too, without a body', async () => {
    const response = await fetch(`${url}/v1/x/who`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('has the common error shape when its handler throws; internals are logged, not sent', async () => {
    const broken = await fetch(`${url}/broken`);
    const text = await broken.text();
    expect([broken.status, broken.headers.get('x-own'), text.includes('10.0.0.1')]).toEqual([
      500,
      '1',
      false,
    ]);
    expect(JSON.parse(text)).toMatchObject({ error: 'Internal Server Error', statusCode: 500 });
    expect(logged.join('')).toContain('secret internals at 10.0.0.1');
    expect(logged.join('')).toContain(`"reqId":"${broken.headers.get('x-request-id')}"`);
    const away = await fetch(`${url}/away`);
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '3']);
    expect(await away.json()).toMatchObject({ message: 'The store is unavailable.' });
  });

  it('is an unlogged error where errors are expected to be frequent', async () => {
    const full = await fetch(`${url}/full`);
    expect([full.status, await full.json()]).toEqual([
      503,
      {
        message: 'Too many at a time.',
        error: 'Service Unavailable',
        statusCode: 503,
        ...forMachines('overloaded'),
      },
    ]);
    expect(logged.join('')).not.toContain('Too many at a time.');
  });

  it('is aborted when half of it has been sent', async () => {
    await expect(fetch(`${url}/half`).then((response) => response.text())).rejects.toThrow();
  });

  it('is measured under its route', async () => {
    await (await fetch(`${url}/v1/x/who`)).text();
    await until('it is measured', async () =>
      (await telemetry.metricsText()).includes('http_route="/v1/:network/who"'),
    );
  });
});

describe('a direct route’s body', () => {
  const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/v1/x/echo`, { method: 'POST', body, headers });

  it('is read up to the limit', async () => {
    expect(await (await post('x'.repeat(100))).text()).toBe('x'.repeat(100));
    const tooLong = await post('x'.repeat(101));
    expect([tooLong.status, await tooLong.json()]).toEqual([
      413,
      {
        message: 'body: it is larger than 100 bytes',
        error: 'Payload Too Large',
        statusCode: 413,
        ...forMachines('body_too_large'),
      },
    ]);
  });
});

describe('next to direct routes', () => {
  it('Fastify answers as usual', async () => {
    expect(await (await fetch(`${url}/v1/other`)).json()).toEqual({ other: true });
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/v1/x/nowhere`)).status).toBe(404);
    expect((await fetch(`${url}/v1/%ff/who`)).status).toBe(400);
  });

  it('another method gets a 405 that names the allowed ones', async () => {
    const response = await fetch(`${url}/v1/x/who`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the client behind proxies', () => {
  const forwarded = {
    'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.1.1.1',
    'x-forwarded-host': 'api.example',
    'x-forwarded-proto': 'https',
  };

  it('is the nearest address that is not a trusted proxy', async () => {
    const client = await (await fetch(`${behindProxy}/v1/x/who`, { headers: forwarded })).json();
    expect(client).toMatchObject({ address: '203.0.113.7', host: 'api.example', protocol: 'https' });
  });

  it.each([
    ['203.0.113.7:4711, 10.1.1.1:80', '203.0.113.7'],
    ['[2001:db8::7]:4711,10.1.1.1', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7, 10.1.1.1', '2001:db8::7'],
  ])('has no port, which is another with each connection: %s', async (sent, address) => {
    for (const path of ['/v1/x/who', '/v1/other']) {
      const response = await fetch(behindProxy + path, { headers: { 'x-forwarded-for': sent } });
      expect(await response.json()).toMatchObject({ address });
    }
  });

  it('is the peer itself if no proxy is trusted', async () => {
    const client = await (await fetch(`${url}/v1/x/who`, { headers: forwarded })).json();
    expect(client).toMatchObject({ address: '127.0.0.1', host: new URL(url).host, protocol: 'http' });
  });
});

describe('shutdown', () => {
  it('finishes running requests and keeps no connection open', async () => {
    const own = createLifecycle(logger);
    const app = createHttpServer({ logger, lifecycle: own, front: directRoutes(routes, { 'x-own': '1' }) });
    const at = await listen(app, own, 'test', { host: '127.0.0.1', port: 0 });
    const running = fetch(`${at}/slow`);
    await slowIsAsked.promise;
    const stopped = own.shutdown('test');
    expect(await (await running).text()).toBe('slow');
    expect(await stopped).toBe(0);
    await expect(fetch(`${at}/slow`)).rejects.toThrow();
  });
});
