/** Time that the processes of networks have for their part of an answer. */
import { afterEach, expect, it, jest } from '@jest/globals';
import { createOverNetworks } from './over-networks.ts';
import type { Upstream } from './upstream.ts';

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

afterEach(() => void jest.restoreAllMocks());

it.each([
  ['/v1/networks', 60_000, 4_000],
  ['/v1/networks', 300, 300],
  ['/v1/blocks?date=2026-01-01', 60_000, 60_000],
])('%s, where answers take %d ms at the most, waits for %d ms', async (path, withinMs, expected) => {
  const timeout = jest.spyOn(AbortSignal, 'timeout');
  const groups = ['eth-mainnet', 'base-mainnet'].map((name) => ({ upstream: EMPTY, networks: [name] }));
  const over = createOverNetworks(groups, withinMs);
  await new Promise<void>((resolve, reject) => {
    const request = { method: 'GET', path, headers: [], body: null };
    over.dispatch(request, { head: () => undefined, data: () => true, end: resolve, fail: reject });
  });
  expect(timeout.mock.calls).toEqual([[expected], [expected]]);
});
