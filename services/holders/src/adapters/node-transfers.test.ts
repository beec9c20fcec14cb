import { expect, it } from '@jest/globals';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
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
    await expect(events.read(part, undefined, signal)).rejects.toThrow('asked');
  expect(asked.map((options) => options?.timeoutMs)).toEqual([undefined, undefined]);
});

const [TOKEN, HOLDER, OTHER] = ['1a', '2b', '3c'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const HASH = `0x${'7'.repeat(64)}`;

function transfer(to: string, logIndex: string) {
  const topic = (account: string): string => `0x${'0'.repeat(24)}${account.slice(2)}`;
  const at = { blockNumber: '0x7', blockHash: HASH, transactionHash: HASH, logIndex };
  const topics = [TOPICS.transfer, topic(OTHER), topic(to)];
  return { ...at, address: TOKEN, topics, data: `0x${'0'.repeat(64)}` };
}

it('a node that leaves out the event of an account is not believed, whatever else it has of the token', async () => {
  const read = (holder: string | undefined, ...logs: readonly object[]) => {
    const header = { number: '0x7', hash: HASH, parentHash: HASH, timestamp: '0x1' };
    const send = async () => [{ result: logs }, { result: header }];
    const events = createTransferEvents({ label: 'node 1', send, close: async () => undefined });
    return events.read([{ number: 7, tokens: [TOKEN] }], holder, AbortSignal.timeout(60_000));
  };
  const [own, others] = [transfer(HOLDER, '0x1'), transfer(OTHER, '0x0')];
  const [block] = await read(HOLDER, others, own);
  expect(block!.events.map(({ logIndex }) => logIndex)).toEqual([0, 1]);
  await expect(read(HOLDER, others)).rejects.toMatchObject({ kind: 'missing-state' });
  expect(await read(undefined, others)).toHaveLength(1);
  await expect(read(undefined)).rejects.toMatchObject({ kind: 'missing-state' });
});
