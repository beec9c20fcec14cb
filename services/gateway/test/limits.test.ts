/** Limits, usage and CORS as a client sees them. */
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { byRecord } from '@hindsight/usage/fold.ts';
import { BALANCE, startGatewayWorld } from './support/gateway-world.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const WEBHOOK = '/v1/eth-mainnet/orders/dex-webhook';
const BATCH = '/v1/eth-mainnet/balance/batch';

const world = forAllTests(() => startGatewayWorld({ clock: { now: () => NOW } }), 'close');

const ask = (key: string, path = BALANCE, init: RequestInit = {}): Promise<Response> =>
  fetch(world.url + path, { headers: { 'x-api-key': key }, ...init });
const enterprise = (monthlyLimit: number, rate = 1_000) =>
  world.addProject({ plan: 'enterprise', monthlyLimit, rate });

describe('every authenticated answer', () => {
  it('states both limits and what is left of them', async () => {
    const { key } = await world.addProject({ plan: 'free' });
    const { headers } = await ask(key);
    expect(headers.get('ratelimit-policy')).toBe('"burst";q=5;w=1, "month";q=100000;w=2592000');
    expect(headers.get('ratelimit')).toBe('"burst";r=4;t=1, "month";r=99999;t=820800');
  });

  it.each<[what: string, status: number, path: string, init: RequestInit]>([
    ['a body that is too long', 413, WEBHOOK, { method: 'POST', body: 'x'.repeat(65_537) }],
    ['many rows that are too long', 413, BATCH, { method: 'POST', body: 'x'.repeat(1_048_577) }],
    ['a service that cannot be reached', 503, BALANCE, {}],
    ['a parameter of usage', 400, '/v1/usage?month=x', {}],
  ])('states them where the gateway refuses: %s', async (_what, status, path, init) => {
    world.service.answer = (request) => request.socket.destroy();
    const { key } = await enterprise(50, 7);
    await ask(key);
    const refused = await ask(key, path, init);
    world.service.answer = (_request, response) => response.writeHead(200).end('{}');
    expect([refused.status, refused.headers.get('x-units')]).toEqual([status, '0']);
    expect(refused.headers.get('ratelimit-policy')).toBe('"burst";q=7;w=1, "month";q=50;w=2592000');
    expect(refused.headers.get('ratelimit')).toMatch(/^"burst";r=\d;t=1, "month";r=50;t=820800$/);
  });

  it('states them where the demo key may only read', async () => {
    const refused = await ask(await world.addDemo(), WEBHOOK, { method: 'POST', body: '{}' });
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([
      403,
      '"burst";q=5;w=1, "month";q=100000;w=2592000',
    ]);
  });
});

describe('the burst limit', () => {
  it('is a 429 that names the limit and when to retry', async () => {
    const { key } = await world.addProject({ plan: 'free' });
    const answers = await Promise.all(Array.from({ length: 7 }, () => ask(key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(await refused.json()).toEqual({
      message: 'Burst limit exceeded: the Free plan allows 5 requests per second; try again in 1 s.',
      error: 'Too Many Requests',
      statusCode: 429,
      ...forMachines('burst_exceeded'),
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.headers.get('ratelimit-policy')).toBe('"burst";q=5;w=1, "month";q=100000;w=2592000');
    expect(refused.headers.get('ratelimit')).toBe('"burst";r=0;t=1, "month";r=99995;t=820800');
    const usageRefused = await ask(key, '/v1/usage');
    expect([usageRefused.status, usageRefused.headers.get('ratelimit')]).toEqual([
      429,
      '"burst";r=0;t=1, "month";r=99995;t=820800',
    ]);
  });

  it('is told before a body has come', async () => {
    const { key } = await enterprise(50, 1);
    await ask(key);
    const headers = { 'x-api-key': key, 'content-length': 1_000_000 };
    const request = httpRequest(world.url + BATCH, { method: 'POST', headers, agent: false });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(429);
    request.on('error', () => undefined).destroy();
  });

  it('omits the month while this gateway does not know it yet', async () => {
    const { key } = await world.addProject({ plan: 'free' });
    for (let i = 0; i < 5; i++) expect((await ask(key, '/v1/usage')).status).toBe(200);
    const refused = await ask(key, '/v1/usage');
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, '"burst";r=0;t=1']);
  });
});

describe('the monthly limit', () => {
  it('is reached only by requests that count', async () => {
    const { key, id } = await enterprise(3);
    for (const status of [500, 503, 304, 403, 429, 401]) {
      world.service.answer = (_request, response) => response.writeHead(status).end();
      expect((await ask(key)).status).toBe(status);
    }
    world.service.answer = (_request, response) => response.destroy();
    expect((await ask(key)).status).toBe(503);
    const counted = [200, 404, 400];
    for (const status of counted) {
      world.service.answer = (_request, response) => response.writeHead(status).end();
      expect((await ask(key)).status).toBe(status);
    }
    const refused = await ask(key);
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as { message: string }).message).toBe(
      'Monthly limit exceeded: the Enterprise plan allows 3 requests a month, and all are used; the next month begins at 2026-12-01T00:00:00.000Z.',
    );
    expect(refused.headers.get('retry-after')).toBe('820800');
    expect(refused.headers.get('ratelimit')).toMatch(/^"burst";r=\d+;t=1, "month";r=0;t=820800$/);
    expect(await world.usage.read(id, '2026-11')).toMatchObject({ taken: 3 });
    world.service.answer = (_request, response) => response.end('{}');
  });
});

describe('GET /v1/usage', () => {
  it('returns plan, period, requests, orders and days, and is not counted', async () => {
    const { key, id } = await enterprise(100);
    const entries = [{ project: id, day: '2026-11-20', endpoint: 'token', requests: 7, orders: 2 }];
    await world.usage.apply(byRecord([{ producer: 'x', sequence: 1, entries }]));
    const response = await ask(key, '/v1/usage');
    const body = (await response.json()) as { daily: unknown[] };
    expect(body).toMatchObject({
      plan: 'enterprise',
      period: { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' },
      requests: { used: 7, limit: 100, remaining: 93 },
      orders: { received: 2 },
    });
    expect(body.daily).toHaveLength(21);
    expect(body.daily.slice(-2)).toEqual([
      { date: '2026-11-20', requests: 7 },
      { date: '2026-11-21', requests: 0 },
    ]);
    expect(response.headers.get('ratelimit')).toContain('"month";r=93;');
    expect(await world.usage.read(id, '2026-11')).toMatchObject({ requests: 7, taken: 0 });
    expect((await ask(key, '/v1/usage?month=1')).status).toBe(400);
    expect((await ask('', '/v1/usage')).status).toBe(401);
  });

  it('returns each of the last three months, by endpoint, status or key, as JSON or CSV', async () => {
    const { key, id } = await enterprise(100);
    const entry = { project: id, endpoint: 'token', orders: 0, key: 'default' };
    const entries = [
      { ...entry, day: '2026-09-30', requests: 3, status: 404 },
      { ...entry, day: '2026-09-30', requests: 4, status: 200 },
      { ...entry, day: '2026-11-20', requests: 7, status: 200 },
    ];
    await world.usage.apply(byRecord([{ producer: 'y', sequence: 1, entries }]));
    const september = await ask(key, '/v1/usage?month=2026-09&by=status');
    const body = (await september.json()) as { daily: unknown[] };
    expect(body).toMatchObject({
      period: { start: '2026-09-01T00:00:00.000Z', end: '2026-10-01T00:00:00.000Z' },
      requests: { used: 7, limit: 100, remaining: 93 },
      breakdown: [
        { date: '2026-09-30', name: '200', requests: 4 },
        { date: '2026-09-30', name: '404', requests: 3 },
      ],
    });
    expect(body.daily).toHaveLength(30);
    const csv = await ask(key, '/v1/usage?by=key&format=csv');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(await csv.text()).toBe('date,key,requests\r\n2026-11-20,default,7\r\n');
    expect(await (await ask(key, '/v1/usage?format=csv')).text()).toBe('date,requests\r\n2026-11-20,7\r\n');
    for (const [query, message] of [
      ['month=2026-08', 'month: expected one of 2026-11, 2026-10, 2026-09'],
      ['by=hour', 'by: expected one of day, endpoint, status, key'],
      ['by=day&by=key', 'by: given more than once; expected once'],
      ['mont=2026-11', 'unknown parameter mont; did you mean month?'],
    ]) {
      const refused = await ask(key, `/v1/usage?${query}`);
      expect([refused.status, await refused.json()]).toMatchObject([400, { message }]);
    }
  });
});

describe('a web page', () => {
  it('may call the API and read the limits, whatever the answer', async () => {
    const preflight = await fetch(world.url + BALANCE, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'GET, HEAD, OPTIONS',
    ]);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key');
    const { key } = await enterprise(10);
    for (const response of [await ask(key), await ask('nonsense')]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-expose-headers')).toContain('RateLimit');
    }
  });

  it.each([
    ['/api/scores', 'POST, OPTIONS'],
    ['/api', 'GET, HEAD, OPTIONS'],
    ['/v2/api', 'GET, HEAD, OPTIONS'],
    ['/mcp', 'POST, OPTIONS'],
  ])('may call %s, which is not below /v1', async (path, methods) => {
    const preflight = await fetch(world.url + path, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, methods]);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    const other = await ask(generateKey(), path, { method: 'DELETE' });
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([405, '*']);
  });

  it('may not read what only begins like a path of the API', async () => {
    const answers = await Promise.all(
      ['/api-x', '/mcp.txt', '/v2/api-x', '/api?x=1'].map((path) => ask(generateKey(), path)),
    );
    expect(answers.map(({ headers }) => headers.has('access-control-allow-origin'))).toEqual([
      ...[false, false, false],
      true,
    ]);
  });

  it.each([
    ['a URL that is too long', 400, 'x'.repeat(9_000)],
    ['a URL that no parser takes', 400, 'x'.repeat(100_000)],
  ])('may read why it is refused: %s', async (_what, status, name) => {
    const refused = await ask(generateKey(), `${BALANCE}&name=${name}`);
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
    expect(refused.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it('gets a 405 with Allow for another method', async () => {
    const response = await ask(generateKey(), BALANCE, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')?.split(', ').sort()]).toEqual([
      405,
      ['GET', 'HEAD', 'OPTIONS'],
    ]);
  });
});

describe('guessing keys', () => {
  it('is slowed down after a few attempts', async () => {
    const guess = async (): Promise<number> => {
      const begun = performance.now();
      expect((await ask(generateKey())).status).toBe(401);
      return performance.now() - begun;
    };
    for (let i = 0; i < 10; i++) await guess();
    expect(await guess()).toBeGreaterThan(900);
  });
});
