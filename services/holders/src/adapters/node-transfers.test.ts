import { expect, it } from '@jest/globals';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import type { EthereumNode, RpcOptions } from '@hindsight/chain/rpc/node.ts';
import { HOLDER_EVENTS } from '../domain/holder-events.ts';
import { createTransferEvents } from './node-transfers.ts';

const { signal } = new AbortController();
const hash = (of: string): string => `0x${of.repeat(32)}`;
const TOKEN = `0x${'1a'.repeat(20)}`;
const BLOCK = { number: '0x7', hash: hash('aa'), parentHash: hash('bb'), timestamp: '0x1' };
const log = (fields: object = {}) => ({
  ...{ address: TOKEN, topics: [HOLDER_EVENTS[0]], data: '0x', logIndex: '0x1' },
  ...{ blockNumber: BLOCK.number, blockHash: BLOCK.hash, transactionHash: hash('cc') },
  ...fields,
});

/** Events of a node that answers so. */
async function eventsOf(logs: readonly object[], header: object | null = BLOCK, holder?: string) {
  const send: EthereumNode['send'] = async () => [{ result: logs }, { result: header }];
  const events = createTransferEvents({ label: 'node 1', send, close: async () => undefined });
  const [read] = await events.read([{ number: 7, hash: BLOCK.hash, tokens: [TOKEN] }], holder, signal);
  return read!.events;
}

it('the events of a block are in its order', async () => {
  const events = await eventsOf([log({ logIndex: '0x10' }), log({ logIndex: '0x2' })]);
  expect(events.map(({ logIndex }) => logIndex)).toEqual([2, 16]);
});

it.each<[string, object]>([
  ['of another token', { address: `0x${'2b'.repeat(20)}` }],
  ['of another kind', { topics: [hash('dd')] }],
  ['without a kind', { topics: [] }],
  ['without topics', { topics: undefined }],
  ['that was removed', { removed: true }],
  ['of another height', { blockNumber: '0x8' }],
  ['of another block', { blockHash: hash('bb') }],
])('an event %s is refused', async (_what, fields) => {
  await expect(eventsOf([log(), log(fields)])).rejects.toMatchObject({ kind: 'malformed' });
});

it.each<[string, readonly object[], object | null, string]>([
  ['does not have the block', [log()], null, 'unknown-block'],
  ['has another height', [log()], { ...BLOCK, number: '0x8' }, 'unknown-block'],
  ['has another block', [log({ blockHash: hash('bb') })], { ...BLOCK, hash: hash('bb') }, 'unknown-block'],
  ['leaves out all of a token', [], BLOCK, 'missing-state'],
])('the events of a block are not those of a node that %s', async (_what, logs, header, kind) => {
  await expect(eventsOf(logs, header)).rejects.toMatchObject({ kind });
});

it('the events of blocks are waited for as long as the operator lets nodes take', async () => {
  const asked: (RpcOptions | undefined)[] = [];
  const send: EthereumNode['send'] = async (_calls, options) => {
    asked.push(options);
    throw new Error('asked');
  };
  const events = createTransferEvents({ label: 'node 1', send, close: async () => undefined });
  const blocks = [7, 8].map((number) => ({ number, tokens: [] }));
  for (const part of [blocks, blocks.slice(1)])
    await expect(events.read(part, undefined, signal)).rejects.toThrow('asked');
  expect(asked.map((options) => options?.timeoutMs)).toEqual([undefined, undefined]);
});

it('a node that leaves out the event of an account is not believed, whatever else it has of the token', async () => {
  const [holder, other] = ['2b', '3c'].map((byte) => `0x${byte.repeat(20)}`) as [string, string];
  const transferTo = (account: string, logIndex: string) =>
    log({ topics: [TOPICS.transfer, ...[other, account].map(addressTopic)], logIndex });
  const [own, others] = [transferTo(holder, '0x1'), transferTo(other, '0x0')];
  expect(await eventsOf([others, own], BLOCK, holder)).toHaveLength(2);
  await expect(eventsOf([others], BLOCK, holder)).rejects.toMatchObject({ kind: 'missing-state' });
  expect(await eventsOf([others])).toHaveLength(1);
});
