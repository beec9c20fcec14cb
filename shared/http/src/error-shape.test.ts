import { expect, it } from '@jest/globals';
import { ApiError } from '@hindsight/kernel/errors.ts';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { answerClientError, answerTo, refusalOf } from './error-shape.ts';

const refused = (url: string, httpVersion: string, ...hosts: readonly string[]): unknown =>
  refusalOf({
    ...{ url, httpVersion, headers: hosts.length > 0 ? { host: hosts[0] } : {} },
    rawHeaders: hosts.flatMap((host) => ['Host', host]),
  } as unknown as IncomingMessage)?.message;

it('a request is refused for its URL and its hosts', () => {
  expect(refused('/a?b', '1.1', 'x')).toBeUndefined();
  expect(refused('/a#b', '1.1', 'x')).toBe('url: it has a "#"; expected %23 in its place');
  expect(refused('/a', '1.1')).toMatch(/^host: it is missing/);
  expect(refused('/a', '1.0')).toBeUndefined();
  expect(refused('/a', '1.0', 'x', 'y')).toMatch(/^host: it is sent more than once/);
});

it('a failure is logged, unless it is one of many alike', () => {
  const logged: unknown[] = [];
  const log = { error: (fields: unknown) => void logged.push(fields) } as never;
  for (const quiet of [false, true]) {
    const error = new ApiError('overloaded', 'Too many at once.', { quiet });
    expect(answerTo(error, { id: 'r', bodyLimit: 1, log }).statusCode).toBe(503);
  }
  expect(logged).toHaveLength(1);
});

it('a request that never became one is answered where its peer still reads', () => {
  const sent: string[] = [];
  let destroyed = 0;
  const socket = (writable: boolean): Socket =>
    ({
      ...{ writable, end: (text: string) => void sent.push(text), destroy: () => void (destroyed += 1) },
    }) as unknown as Socket;
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }) as never;
  answerClientError('r', late, socket(true), { 'x-own': '1' });
  answerClientError('r', late, socket(false), {});
  expect(sent).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 408 Request Timeout\r\nx-request-id: r\r\nx-own: 1\r\n/),
  ]);
  expect(destroyed).toBe(1);
});
