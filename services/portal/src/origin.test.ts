import { expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { originResolver } from './origin.ts';

const at = (localPort: number, host: string) =>
  ({ socket: { localPort }, headers: { host } }) as FastifyRequest;

it('is the name of this machine that a browser used, without the port where browsers leave it out', () => {
  const originOf = originResolver(undefined, '0.0.0.0');
  expect(originOf(at(8090, 'localhost:8090'))).toBe('http://localhost:8090');
  expect(originOf(at(80, 'localhost'))).toBe('http://localhost');
  expect(originOf(at(80, '[::1]'))).toBe('http://[::1]');
});

it('is no foreign name', () => {
  const originOf = originResolver(undefined, '127.0.0.1');
  expect(originOf(at(8090, 'evil.example:8090'))).toBe('http://127.0.0.1:8090');
  expect(originOf(at(80, 'evil.example'))).toBe('http://127.0.0.1');
});
