import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiError } from '@hindsight/kernel/errors.ts';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { readBody } from './body.ts';

const LIMIT = 10;
let server: Server;
let read = Promise.withResolvers<unknown>();

beforeAll(async () => {
  server = createServer((request) => {
    readBody(request, LIMIT).then(
      (body) => read.resolve(body?.toString()),
      (error: unknown) => read.resolve(error),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => void server.close());

/** Sends a request's headers and the beginning of its body. */
function send(headers: string, begin: string): Socket {
  read = Promise.withResolvers();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: h\r\n${headers}\r\n\r\n${begin}`);
  return socket;
}

it.each([
  ['a declared length', 'content-length: 10', '0123456789', '0123456789'],
  ['chunks', 'transfer-encoding: chunked', 'a\r\n0123456789\r\n0\r\n\r\n', '0123456789'],
  ['none', 'content-length: 0', '', undefined],
])('is read up to its limit: %s', async (_, headers, begin, body) => {
  const socket = send(headers, begin);
  expect(await read.promise).toBe(body);
  socket.destroy();
});

it.each([
  ['before any of it has come', 'content-length: 11', ''],
  ['at the chunk that is too much', 'transfer-encoding: chunked', '5\r\n01234\r\n6\r\n567890\r\n'],
  ['at the first chunk', 'transfer-encoding: chunked', 'b\r\n01234567890\r\n0\r\n\r\n'],
])('is refused where it is longer, %s, and its connection ends', async (_, headers, begin) => {
  const socket = send(headers, begin);
  const error = (await read.promise) as ApiError;
  expect(error).toBeInstanceOf(ApiError);
  expect([error.code, error.headers]).toEqual(['body_too_large', { connection: 'close' }]);
  socket.destroy();
});

it('is given up when its client leaves in the middle', async () => {
  const socket = send('content-length: 10', '01234');
  socket.end();
  expect(await read.promise).toMatchObject({ code: 'invalid_body', message: 'body: it is not complete' });
});
