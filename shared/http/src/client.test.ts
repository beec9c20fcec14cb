import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { createClientOf, dropForwardedPorts, trustOf } from './client.ts';

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

  it('has the host and the protocol that its nearest proxy names, where that is trusted', () => {
    const asked = (remoteAddress: string): IncomingMessage => {
      const forwarded = {
        'x-forwarded-host': 'evil.example, own.example',
        'x-forwarded-proto': 'ftp, https',
      };
      return { headers: { host: 'api.example', ...forwarded }, socket: { remoteAddress } } as never;
    };
    expect(clientOf(asked('10.0.0.1'))).toMatchObject({ host: 'own.example', protocol: 'https' });
    expect(clientOf(asked('9.9.9.9'))).toEqual({
      ...{ address: '9.9.9.9', host: 'api.example', protocol: 'http' },
    });
    expect(trustOf([])).toBeUndefined();
    expect(createClientOf(trustOf([]))(behind('6.6.6.6'))).toMatchObject({ address: '10.0.0.1' });
  });

  it('is an address without the port that some proxies send', () => {
    const forwarded = (sent: string): unknown => {
      const request = behind(sent);
      dropForwardedPorts(request);
      return request.headers['x-forwarded-for'];
    };
    expect(forwarded('9.9.9.9:4711, [2001:db8::1]:80, [::1], 2001:db8::2, 8.8.8.8')).toBe(
      '9.9.9.9, 2001:db8::1, ::1, 2001:db8::2, 8.8.8.8',
    );
  });

  it('is found within 20 hops, whatever a header of thousands claims: each costs time', () => {
    const proxies = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.0.1.${i % 250}`);
    expect(clientOf(behind('9.9.9.9', ...proxies(19))).address).toBe('9.9.9.9');
    expect(clientOf(behind('9.9.9.9', ...proxies(1_500))).address).toMatch(/^10\.0\.1\./);
  });
});
