/** Answers to faulty requests, and to requests that meet a faulty service. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { connect } from 'node:net';
import { z } from 'zod';
import { ApiError, ClientLeft, unavailable } from '@hindsight/kernel/errors.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createHttpServer, listen } from '../src/server.ts';
import { askJson, type JsonAnswer } from './support/ask-json.ts';

const logged: string[] = [];
let url: string;
let lifecycle: Lifecycle;

beforeAll(async () => {
  const destination = { write: (line: string) => logged.push(line) };
  const logger = createLogger({ name: 'test', level: 'debug', destination });
  lifecycle = createLifecycle(logger);
  const app = createHttpServer({ logger, lifecycle, bodyLimit: 100 });
  const querystring = z.strictObject({
    block_height: z.string().regex(/^\d+$/, 'expected digits'),
    holder: z.string().optional(),
  });
  app.get('/thing', { schema: { querystring } }, async (request) => ({ height: request.query.block_height }));
  app.post('/thing/:id', { schema: { body: z.object({ n: z.number() }) } }, async (request) => request.body);
  app.get('/broken', () => {
    throw new Error('secret internals at 10.0.0.1');
  });
  app.get('/away', () => {
    const cause = new Error('ECONNREFUSED 10.0.0.1');
    throw unavailable('store_unavailable', 'The store is unavailable.', { cause, seconds: 3 });
  });
  app.get('/left', () => {
    throw new ClientLeft();
  });
  app.get('/teapot', () => {
    throw new ApiError('name_off_chain', 'No coffee.');
  });
  url = await listen(app, lifecycle, 'test', { host: '127.0.0.1', port: 0 });
});

afterAll(async () => void (await lifecycle.shutdown('test')));

const ask = (path: string, init?: RequestInit): Promise<JsonAnswer> => askJson(url + path, init);

/** Sends raw bytes, and returns all that comes back until the server closes. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(60_000, () => reject(new Error('no answer')));
    socket
      .on('data', (chunk) => (answer += chunk.toString()))
      .on('end', () => resolve(answer))
      .on('error', reject);
  });
}

const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

describe('every error has the one shape', () => {
  it.each<[what: string, path: string, init: RequestInit, status: number, error: string, message: RegExp]>([
    ['an unknown path', '/nowhere', {}, 404, 'Not Found', /nothing at GET \/nowhere/],
    [
      'a path whose parameter is too long',
      `/thing/${'a'.repeat(201)}`,
      post('{"n":1}'),
      404,
      'Not Found',
      /path is too long: there is nothing at it/,
    ],
    [
      'a method the path does not know',
      '/thing',
      { method: 'DELETE' },
      405,
      'Method Not Allowed',
      /DELETE is not supported/,
    ],
    [
      'such a method with a body that is no JSON',
      '/thing',
      { ...post('x'), method: 'DELETE' },
      405,
      'Method Not Allowed',
      /DELETE is not supported/,
    ],
    [
      'an unknown path with a JSON body that is empty',
      '/nowhere',
      post(''),
      404,
      'Not Found',
      /nothing at POST \/nowhere/,
    ],
    ['a missing parameter', '/thing', {}, 400, 'Bad Request', /^block_height is required$/],
    [
      'a malformed parameter',
      '/thing?block_height=x',
      {},
      400,
      'Bad Request',
      /^block_height: expected digits$/,
    ],
    [
      'a repeated parameter',
      '/thing?block_height=1&block_height=2',
      {},
      400,
      'Bad Request',
      /^block_height: given more than once/,
    ],
    [
      'a parameter with a typo',
      '/thing?block_height=1&blockHeight=2',
      {},
      400,
      'Bad Request',
      /unknown parameter blockHeight; did you mean block_height\?/,
    ],
    [
      'an unknown parameter',
      '/thing?block_height=1&colour=2',
      {},
      400,
      'Bad Request',
      /unknown parameter colour; known: block_height, holder/,
    ],
    ['a path that is no UTF-8', '/%ff', {}, 400, 'Bad Request', /^url: /],
    [
      'a body that is too large',
      '/thing/1',
      post(JSON.stringify({ n: 1, pad: 'x'.repeat(200) })),
      413,
      'Payload Too Large',
      /larger than 100 bytes/,
    ],
    [
      'a body of another type',
      '/thing/1',
      post('<n/>', 'text/xml'),
      415,
      'Unsupported Media Type',
      /application\/json/,
    ],
    ['a body that is no JSON', '/thing/1', post('{'), 400, 'Bad Request', /^body: it is not valid JSON/],
    ['an empty body', '/thing/1', post(''), 400, 'Bad Request', /^body: it is empty/],
    ['a malformed body', '/thing/1', post('{"n":"1"}'), 400, 'Bad Request', /^n: /],
    ['an error of ours', '/teapot', {}, 422, 'Unprocessable Entity', /^No coffee\.$/],
  ])('%s', async (_what, path, init, status, error, message) => {
    const answer = await ask(path, init);
    expect(answer.body).toEqual({
      message: expect.stringMatching(message),
      error,
      statusCode: status,
      ...forMachines(),
    });
    expect((answer.body as { request_id: string }).request_id).toBe(answer.headers.get('x-request-id'));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('names a long path in part', async () => {
    const { body } = await ask(`/${'a'.repeat(300)}`);
    expect(body).toMatchObject({ message: `There is nothing at GET /${'a'.repeat(199)}` });
  });

  it('names the methods that a path supports', async () => {
    const { headers } = await ask('/thing', { method: 'PUT' });
    expect(headers.get('allow')).toBe('GET, HEAD');
    expect((await ask('/thing/7')).headers.get('allow')).toBe('POST');
  });

  it('hides what is internal, and logs it', async () => {
    logged.length = 0;
    const broken = await ask('/broken');
    expect([broken.status, JSON.stringify(broken.body)]).toEqual([
      500,
      expect.not.stringContaining('10.0.0.1'),
    ]);
    const away = await ask('/away');
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '3']);
    expect(JSON.stringify(away.body)).not.toContain('10.0.0.1');
    expect(logged.join('')).toContain('secret internals at 10.0.0.1');
    expect(logged.join('')).toContain('ECONNREFUSED 10.0.0.1');
  });

  it('logs no failure where the client has left', async () => {
    logged.length = 0;
    expect((await ask('/left')).status).toBe(500);
    expect(logged.join('')).not.toContain('request failed');
  });

  it.each([
    [
      'a URL of 8,193 characters',
      `GET /thing?a=${'a'.repeat(8_184)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      400,
      /^url: /,
    ],
    ['a URL of 100 KB', `GET /thing?a=${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 400, /^url: /],
    [
      'headers of 100 KB',
      `GET /thing HTTP/1.1\r\nhost: x\r\nx-pad: ${'a'.repeat(100_000)}\r\n\r\n`,
      431,
      /headers/,
    ],
    ['no host', 'GET /thing?block_height=1 HTTP/1.1\r\nx-a: b\r\n\r\n', 400, /^host: it is missing/],
    [
      'two hosts',
      'GET /thing?block_height=1 HTTP/1.1\r\nhost: x\r\nHOST: y\r\n\r\n',
      400,
      /^host: it is sent more than once/,
    ],
    ['what is not HTTP', 'HELO there\r\n\r\n', 400, /not valid HTTP/],
    [
      'a length and chunks at once',
      'POST /thing/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      /not valid HTTP/,
    ],
    [
      'two lengths',
      'POST /thing/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
      400,
      /not valid HTTP/,
    ],
    ['a bare CR', 'GET /thing HTTP/1.1\r\nhost: x\r\nx-a: b\rx-c: d\r\n\r\n', 400, /not valid HTTP/],
  ])('%s', async (_what, bytes, status, message) => {
    const answer = await sendRaw(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toMatchObject({
      statusCode: status,
      message: expect.stringMatching(message),
      ...forMachines(),
    });
    expect(head).toContain(`x-request-id: ${(JSON.parse(body) as { request_id: string }).request_id}`);
  });
});
