/** Time that the processes of networks have for their part of an answer. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { tellAvailable } from './available.ts';
import { createOverNetworks } from './over-networks.ts';
import type { Upstream, Upstreams } from './upstream.ts';

/** Answers with a list of no networks, and of no blocks. */
const EMPTY: Upstream = {
  dispatch(_request, sink) {
    sink.head(200, {});
    sink.data(Buffer.from('{"networks":[],"blocks":[]}'));
    sink.end();
    return { resume: () => undefined, cancel: () => undefined };
  },
  close: async () => undefined,
};

const ask = (upstream: Upstream, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = { method: 'GET', path, headers: [], body: null };
    upstream.dispatch(request, { head: () => undefined, data: () => true, end: resolve, fail: reject });
  });

afterEach(() => void jest.restoreAllMocks());

it.each([
  ['/v1/networks', 60_000, 4_000],
  ['/v1/networks', 300, 300],
  ['/v1/blocks?date=2026-01-01', 60_000, 60_000],
])('%s, where answers take %d ms at the most, waits for %d ms', async (path, withinMs, expected) => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const groups = ['eth-mainnet', 'base-mainnet'].map((name) => ({ upstream: EMPTY, networks: [name] }));
  await ask(createOverNetworks(groups, withinMs), path);
  expect(timeout.mock.calls).toEqual([[expected], [expected]]);
});

it('the other services have 2 s to say what they offer', async () => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  await ask(tellAvailable({ balance: EMPTY, orders: EMPTY, holders: EMPTY } as Upstreams), '/v1/networks');
  expect(timeout.mock.calls).toEqual([[2_000], [2_000]]);
});
