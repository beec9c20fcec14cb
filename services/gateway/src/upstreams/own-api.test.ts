/** Requests of the gateway to itself: a server that does not listen sees the caller's facts, and sees it leave. */
import { expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { fetchFromOwn, hasBurstToken, OWN_URL } from './own-api.ts';

const ADDRESS = '203.0.113.7';

/** A fetch of a caller from the address, to a server that answers so. */
function fetchOf(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { origin, tokens = 0 }: { readonly origin?: string; tokens?: number } = {},
): typeof globalThis.fetch {
  const server = createServer(answer);
  return fetchFromOwn(() => server, { address: ADDRESS, origin, passBurstToken: () => tokens-- > 0 });
}

it('a request has its caller’s address and origin, and the burst token that its message has taken, once', async () => {
  const tell = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers, socket } = request;
    const { origin, host, connection } = headers;
    const seen = { method, url, origin, host, connection, key: headers['x-api-key'] };
    const body = await text(request);
    response
      .writeHead(201, { 'x-cost': '3' })
      .end(JSON.stringify({ ...seen, address: socket.remoteAddress, token: hasBurstToken(request), body }));
  };
  const ask = async (fetch: typeof globalThis.fetch, init: RequestInit) => {
    const response = await fetch(`${OWN_URL}/v1/x?y=z`, { headers: { 'x-api-key': 'k' }, ...init });
    expect([response.status, response.headers.get('x-cost')]).toEqual([201, '3']);
    return response.json();
  };
  const fetch = fetchOf((...both) => void tell(...both), { origin: 'https://example.org', tokens: 1 });
  const facts = { url: '/v1/x?y=z', key: 'k', host: 'gateway', connection: 'close', address: ADDRESS };
  expect(await ask(fetch, { method: 'POST', body: '{"é":1}' })).toEqual({
    ...{ ...facts, method: 'POST', origin: 'https://example.org', token: true, body: '{"é":1}' },
  });
  expect(await ask(fetch, {})).toMatchObject({ method: 'GET', token: false, body: '' });
  const plain = (await ask(
    fetchOf((...both) => void tell(...both)),
    {},
  )) as object;
  expect(plain).not.toHaveProperty('origin');
});

it('a request is abandoned once its signal is aborted: the server sees its client leave', async () => {
  const left = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const fetch = fetchOf((_request, response) => {
    response.once('close', left.resolve);
    begun.resolve();
  });
  const leaving = new AbortController();
  const asked = fetch(OWN_URL, { headers: {}, signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await expect(asked).rejects.toThrow('aborted');
  await left.promise;
});

it('a request fails where the server ends its connection', async () => {
  const fetch = fetchOf(({ socket }) => socket.destroy());
  await expect(fetch(OWN_URL, { headers: {} })).rejects.toThrow();
});
