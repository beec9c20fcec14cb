import { expect, it } from '@jest/globals';
import type { EthereumNode, RpcOptions } from '@hindsight/chain/rpc/node.ts';
import { createTransferEvents } from './node-transfers.ts';

it('the events of blocks are waited for as long as the operator lets nodes take', async () => {
  const asked: (RpcOptions | undefined)[] = [];
  const send: EthereumNode['send'] = async (_calls, options) => {
    asked.push(options);
    throw new Error('asked');
  };
  const events = createTransferEvents({ label: 'node 1', send, close: async () => undefined });
  const { signal } = new AbortController();
  const blocks = [7, 8].map((number) => ({ number, tokens: [] }));
  for (const part of [blocks, blocks.slice(1)])
    await expect(events.read(part, signal)).rejects.toThrow('asked');
  expect(asked.map((options) => options?.timeoutMs)).toEqual([undefined, undefined]);
});
