import { expect, it } from '@jest/globals';
import type { RpcCall } from '@hindsight/chain/rpc/node.ts';
import { createLazyNode } from './lazy-node.ts';

const CALLS: readonly RpcCall[] = [{ method: 'eth_blockNumber', params: [] }];

it('is opened with the first question, and once', async () => {
  let opened = 0;
  const node = createLazyNode('a node', async () => {
    opened++;
    return {
      label: '',
      send: async (calls) => calls.map(({ method }) => ({ result: method })),
      close: () => Promise.resolve(),
    };
  });
  expect(opened).toBe(0);
  expect(await Promise.all([node.send(CALLS), node.send(CALLS)])).toEqual([
    [{ result: 'eth_blockNumber' }],
    [{ result: 'eth_blockNumber' }],
  ]);
  expect(opened).toBe(1);
});
