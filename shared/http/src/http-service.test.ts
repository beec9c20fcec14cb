/** A service at an address: its answers, and what its callers get where it has none. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { LASTING } from '@hindsight/kernel/test/support/lasting.ts';
import type { AddressInfo } from 'node:net';
import { connectService } from './http-service.ts';
import { textOf, type ServiceAnswer } from './other-service.ts';

const LEFT = new Error('the caller has left');
const UNAVAILABLE = {
  statusCode: 503,
  code: 'service_unavailable',
  message: 'The balance service cannot be reached at the moment.',
  headers: { 'retry-after': '2' },
};

let answer: RequestListener;
let server: Server;
let service: ReturnType<typeof connectService>;

beforeEach(async () => {
  server = createServer(LASTING, (request, response) => answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  service = connectService('balance', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  await service.close();
  server.close();
});

const ask = (signal = new AbortController().signal): Promise<ServiceAnswer> =>
  service.ask({ method: 'GET', path: '/rows', signal });

/** Begins an answer. @returns its parts after the first, and the response */
async function begin(signal?: AbortSignal) {
  const begun = Promise.withResolvers<ServerResponse>();
  answer = (_request, response) => {
    response.write('a row\n');
    begun.resolve(response);
  };
  const { body } = await ask(signal);
  const parts = body[Symbol.asyncIterator]();
  expect(await parts.next()).toEqual({ value: 'a row\n', done: false });
  return { parts, response: await begun.promise };
}

it('an answer has its status and Retry-After, and its text in whatever parts it comes', async () => {
  const text = Buffer.from('{"name":"Größe"}');
  answer = (_request, response) => {
    response.writeHead(429, { 'retry-after': '7' });
    // A letter of two bytes is cut.
    response.write(text.subarray(0, 12));
    response.end(text.subarray(12));
  };
  const { body, ...head } = await ask();
  expect(head).toEqual({ status: 429, retryAfter: '7' });
  expect(await textOf(body)).toBe(text.toString());
});

it('is unavailable, by its name, where it cannot be reached', async () => {
  server.close();
  await once(server, 'close');
  await expect(ask()).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: 'ECONNREFUSED' } });
});

it('is unavailable where its answer breaks off', async () => {
  const { parts, response } = await begin();
  response.destroy();
  await expect(parts.next()).rejects.toMatchObject(UNAVAILABLE);
});

it('is not at fault where its caller leaves, before the answer or in it', async () => {
  const [early, late] = [new AbortController(), new AbortController()];
  answer = () => early.abort(LEFT);
  await expect(ask(early.signal)).rejects.toBe(LEFT);
  const { parts } = await begin(late.signal);
  late.abort(LEFT);
  await expect(parts.next()).rejects.toBe(LEFT);
});
