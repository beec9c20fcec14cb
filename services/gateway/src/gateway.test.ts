import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openBus } from '@hindsight/shared/bus/open.ts';
import { systemClock } from '@hindsight/shared/clock.ts';
import { listen } from '@hindsight/shared/http/server.ts';
import { createPoolUpstream } from '@hindsight/shared/http/upstream.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { createProject } from '@hindsight/shared/projects/create-project.ts';
import { generateKey } from '@hindsight/shared/projects/key.ts';
import { openProjects } from '@hindsight/shared/projects/open.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import { createGateway } from './service.ts';
import { startRecordingService, type RecordingService } from './testing/recording-service.ts';

const BALANCE = '/v1/eth-mainnet/balance/single';
const UPSTREAM_TIMEOUT_MS = 400;

const logged: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'hindsight-gateway-'));
let lifecycle: Lifecycle;
let service: RecordingService;
let url: string;
let key: string;
let projectId: string;

beforeAll(async () => {
  const logger = createLogger({
    name: 'gateway',
    level: 'trace',
    destination: { write: (line) => logged.push(line) },
  });
  lifecycle = createLifecycle(logger);
  service = await startRecordingService();
  const platform = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir: folder, secret: 'a secret of the test' }, platform);
  const created = await createProject(
    { projects, clock: systemClock, ids: randomIds },
    { name: 'test', plan: 'enterprise', monthlyLimit: 1_000_000, rate: 1_000 },
  );
  key = created.key;
  projectId = created.project.id;
  const balance = createPoolUpstream({ origin: service.url, headersTimeout: UPSTREAM_TIMEOUT_MS });
  lifecycle.onStop('upstream', () => balance.close());
  const { usage } = await openUsage({ dataDir: folder }, lifecycle);
  const { bus } = await openBus({ dataDir: folder }, { ...platform, logger });
  const app = await createGateway({
    ...platform,
    ...{ projects, bus, usage, dataDir: folder },
    upstreams: { balance, orders: balance, tokens: balance },
    logger,
  });
  url = await listen(app, lifecycle, 'gateway', { host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  await lifecycle.shutdown('test');
  await service.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  service.received.length = 0;
  service.answer = (_request, response) => response.end('{"balance":"1"}');
});

const ask = (
  path: string,
  headers: Record<string, string> = { 'x-api-key': key },
  init: RequestInit = {},
): Promise<Response> => fetch(url + path, { headers, ...init });

/** A request whose headers go out as they are; fetch would keep some back. */
function send(path: string, headers: Record<string, string>, body?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url + path, { method: 'GET', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end(body);
  });
}

describe('a key', () => {
  it('is taken from the header', async () => {
    expect((await ask(BALANCE)).status).toBe(200);
  });

  it('is taken from the query, and goes no further', async () => {
    expect((await ask(`${BALANCE}?a=1&projectId=${key}&b=%202`, {})).status).toBe(200);
    expect((await ask(`${BALANCE}?project%49d=${key}`, {})).status).toBe(200);
    expect(service.received.map(({ url }) => url)).toEqual([`${BALANCE}?a=1&b=%202`, BALANCE]);
  });

  it('in the header wins over one in the query, which is taken out all the same', async () => {
    expect((await ask(`${BALANCE}?projectId=${generateKey()}`)).status).toBe(200);
    expect((await ask(`${BALANCE}?projectId=${key}`, { 'x-api-key': generateKey() })).status).toBe(401);
    expect(service.received.map(({ url }) => url)).toEqual([BALANCE]);
  });

  it.each<[what: string, path: string, headers: Record<string, string>]>([
    ['missing', BALANCE, {}],
    ['empty', BALANCE, { 'x-api-key': '' }],
    ['empty in the query', `${BALANCE}?projectId=`, {}],
    ['malformed', BALANCE, { 'x-api-key': 'nonsense' }],
    ['with a wrong checksum', BALANCE, { 'x-api-key': `hs_${'a'.repeat(30)}` }],
    ['of 10 KB', BALANCE, { 'x-api-key': 'a'.repeat(10_000) }],
    ['unknown', BALANCE, { 'x-api-key': generateKey() }],
  ])('that is %s gets one and the same 401', async (_what, path, headers) => {
    const response = await ask(path, headers);
    expect(await response.json()).toEqual({
      message: expect.stringMatching(/^A valid project key is required/),
      error: 'Unauthorized',
      statusCode: 401,
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'ApiKey']);
    expect(service.received).toEqual([]);
  });

  it('given twice in the query is a 400', async () => {
    const response = await ask(`${BALANCE}?projectId=${key}&projectId=${key}`, {});
    expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
      400,
      'projectId: given more than once; expected once',
    ]);
  });

  it('never reaches a service, an answer or a log', async () => {
    service.answer = (request, response) =>
      response.end(JSON.stringify({ url: request.url, headers: request.headers }));
    const answers = [
      await ask(BALANCE),
      await ask(`${BALANCE}?projectId=${key}`, {}),
      await ask('/v1/nowhere'),
    ];
    service.answer = (_request, response) => response.destroy();
    answers.push(await ask(`${BALANCE}?projectId=${key}`, {}));
    for (const answer of answers)
      expect(JSON.stringify([...answer.headers]) + (await answer.text())).not.toContain(key);
    expect(JSON.stringify(service.received)).not.toContain(key);
    expect(logged.join('')).not.toContain(key);
  });
});

describe('forwarding', () => {
  it('sends what the client sent, and tells the service who asks', async () => {
    await send(`${BALANCE}?holder=x`, {
      'x-api-key': key,
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
    const { headers, url, method } = service.received[0]!;
    expect([method, url]).toEqual(['GET', `${BALANCE}?holder=x`]);
    expect(headers).toMatchObject({
      'x-request-id': 'mine-1',
      'accept-encoding': 'br',
      'if-none-match': '"e"',
      'x-hindsight-project': projectId,
      'x-hindsight-plan': 'enterprise',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    });
    expect(headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-/);
    for (const name of ['x-api-key', 'x-secret-hop', 'cookie', 'te', 'transfer-encoding'])
      expect(headers).not.toHaveProperty(name);
  });

  it('sends the answer back as it is, without hop-by-hop headers', async () => {
    service.answer = (_request, response) => {
      response.writeHead(404, {
        'content-type': 'application/json',
        etag: '"7"',
        'keep-alive': 'timeout=1',
        'x-hindsight-internal': '1',
      });
      response.end('{"message":"no"}');
    };
    const response = await ask(BALANCE, { 'x-api-key': key, 'x-request-id': 'mine-2' });
    expect([response.status, await response.text()]).toEqual([404, '{"message":"no"}']);
    expect(response.headers.get('etag')).toBe('"7"');
    expect(response.headers.get('x-request-id')).toBe('mine-2');
    expect(response.headers.has('x-hindsight-internal')).toBe(false);
  });

  it('streams a large answer whole', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    service.answer = (_request, response) => {
      for (let i = 0; i < 200; i++) response.write(chunk);
      response.end();
    };
    const bytes = await (await ask(BALANCE)).arrayBuffer();
    expect(bytes.byteLength).toBe(200 * chunk.length);
  });

  it('answers HEAD like GET, without a body', async () => {
    service.answer = (_request, response) => response.writeHead(200, { 'content-length': 15 }).end();
    const response = await ask(BALANCE, { 'x-api-key': key }, { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '15',
      '',
    ]);
    expect(service.received[0]!.method).toBe('HEAD');
  });

  it('drops the body of a GET', async () => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': '9' };
    const status = await send(BALANCE, headers, '{"a":"b"}');
    expect(status).toBe(200);
    expect(service.received[0]!.headers).not.toHaveProperty('content-length');
  });

  it('cancels the service’s work when the client leaves', async () => {
    const left = new Promise<void>((resolve) => {
      service.answer = (_request, response) => void response.on('close', resolve);
    });
    const abort = new AbortController();
    const asked = ask(BALANCE, { 'x-api-key': key }, { signal: abort.signal });
    await new Promise((resolve) => setTimeout(resolve, 100));
    abort.abort();
    await expect(asked).rejects.toThrow();
    await left;
  });

  it('breaks off an answer that the service broke off', async () => {
    service.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      setTimeout(() => response.destroy(), 50);
    };
    await expect(ask(BALANCE).then((response) => response.text())).rejects.toThrow();
  });
});

describe('a service that', () => {
  it('hangs is a 504 within the timeout', async () => {
    service.answer = () => undefined;
    const begun = performance.now();
    const response = await ask(BALANCE);
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ error: 'Gateway Timeout', statusCode: 504 });
    expect(performance.now() - begun).toBeLessThan(UPSTREAM_TIMEOUT_MS + 5_000);
  });

  it('is away is a 503 with Retry-After', async () => {
    service.answer = (_request, response) => response.destroy();
    const response = await ask(BALANCE);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await response.json()).toMatchObject({ error: 'Service Unavailable' });
  });
});
