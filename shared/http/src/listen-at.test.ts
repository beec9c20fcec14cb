import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { ConfigError } from '@hindsight/kernel/config.ts';
import { listenAt } from './listen-at.ts';

type Address = Parameters<Parameters<typeof listenAt>[2]>[0];

/** Listens once, as a service does. */
function listen({ host, port }: Address): Promise<string> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: chosen } = server.address() as AddressInfo;
      server.close(() => resolve(String(chosen)));
    });
  });
}

async function faultOf(address: Address, listening = listen): Promise<string> {
  const fault: unknown = await listenAt('PORTAL_PORT', address, listening).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ConfigError);
  return (fault as ConfigError).message;
}

it('names the setting of a port that is taken', async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  try {
    expect(await faultOf({ host: '127.0.0.1', port })).toMatch(
      new RegExp(`^port ${port} of 127\\.0\\.0\\.1 is taken .*PORTAL_PORT=`),
    );
  } finally {
    server.close();
  }
});

it('names HOST where it is an address of another machine', async () => {
  // Of the range for documents: no machine has it (RFC 5737).
  expect(await faultOf({ host: '192.0.2.1', port: 0 })).toMatch('HOST is 192.0.2.1: ');
});

it.each([
  { code: 'ENOTFOUND', words: 'HOST is here.invalid: ' },
  { code: 'EAI_AGAIN', words: 'HOST is here.invalid: ' },
  { code: 'EACCES', words: /^port 80 of here\.invalid .*PORTAL_PORT/ },
])('names the setting that $code is about', async ({ code, words }) => {
  const failed = Object.assign(new Error('not here'), { code });
  expect(await faultOf({ host: 'here.invalid', port: 80 }, () => Promise.reject(failed))).toMatch(words);
});

it('names a port below one that is the last', async () => {
  const taken = Object.assign(new Error('taken'), { code: 'EADDRINUSE' });
  const message = await faultOf({ host: 'here', port: 65_535 }, () => Promise.reject(taken));
  expect(message).toMatch(/PORTAL_PORT=65534$/);
});

it('passes any other fault on', async () => {
  const other = new Error('the disk is full');
  await expect(listenAt('PORT', { host: '127.0.0.1', port: 0 }, () => Promise.reject(other))).rejects.toBe(
    other,
  );
});
