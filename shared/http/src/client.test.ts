import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createClientOf, trustOf } from './client.ts';

const behind = (...hops: string[]): IncomingMessage =>
  ({
    headers: { host: 'api.example', 'x-forwarded-for': hops.join(', ') },
    socket: { remoteAddress: '10.0.0.1' },
  }) as unknown as IncomingMessage;

describe('the client of a request', () => {
  const clientOf = createClientOf(trustOf(['10.0.0.0/8']));

  it('is the nearest address that is no trusted proxy', () => {
    expect(clientOf(behind('6.6.6.6', '9.9.9.9', '10.0.0.2')).address).toBe('9.9.9.9');
  });

  it('is found within 20 hops, whatever a header of thousands claims: each costs time', () => {
    const proxies = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.0.1.${i % 250}`);
    expect(clientOf(behind('9.9.9.9', ...proxies(19))).address).toBe('9.9.9.9');
    expect(clientOf(behind('9.9.9.9', ...proxies(1_500))).address).toMatch(/^10\.0\.1\./);
  });
});
