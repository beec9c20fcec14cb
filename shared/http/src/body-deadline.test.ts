import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { limitBodies } from './body-deadline.ts';

let server: EventEmitter;
let late: number;
beforeEach(() => {
  jest.useFakeTimers();
  server = new EventEmitter();
  late = 0;
  server.on('clientError', ({ code }: { readonly code: string }) => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') late += 1;
  });
  limitBodies(server as Server, 1_000);
});
afterEach(() => void jest.useRealTimers());

function begin(headers: object, url = '/v1/eth-mainnet/balance') {
  const request = Object.assign(new EventEmitter(), { method: 'POST', url, headers, complete: false });
  server.emit('request', request);
  return request;
}

it.each<[what: string, headers: object, url: string | undefined, ended: number]>([
  ['that is declared', { 'content-length': '5' }, undefined, 1],
  ['in chunks', { 'transfer-encoding': 'chunked' }, undefined, 1],
  ['that there is none of', {}, undefined, 0],
  ['that is empty', { 'content-length': '0' }, undefined, 0],
  ['that is streamed', { 'content-length': '5' }, '/v1/eth-mainnet/balance/snapshot', 0],
])('a late body %s', (_what, headers, url, ended) => {
  begin(headers, url);
  jest.advanceTimersByTime(999);
  expect(late).toBe(0);
  jest.advanceTimersByTime(1);
  expect(late).toBe(ended);
});

it('a body that has come is not late, and a request that is over is not watched', () => {
  const declared = { 'content-length': '5' };
  begin(declared).complete = true;
  begin(declared).emit('close');
  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(1_000);
  expect(late).toBe(0);
});
