/** The headers that are asked for beside questions by hash, and the questions that they deny. */
import { expect, it } from '@jest/globals';
import { numberToQuantity } from '../rpc/hex.ts';
import type { EthereumNode, RpcCall, RpcOutcome } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';
import { proveCanonical } from './canonical-node.ts';

const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`;
const balanceAt = (height: number, hash: string, requireCanonical?: boolean): RpcCall => ({
  method: 'eth_getBalance',
  params: ['0x1', { blockHash: hash, ...(requireCanonical === undefined ? {} : { requireCanonical }) }],
  height,
});

/** A node that knows all hashes; its headers are those of the chain, or an error. */
function nodeOf(failure?: NodeError) {
  const asked: string[] = [];
  const headerOf = (height: number): RpcOutcome => ({
    result: {
      ...{ number: numberToQuantity(height), hash: hashAt(height), parentHash: hashAt(height - 1) },
      timestamp: '0x5',
    },
  });
  const node: EthereumNode = {
    label: 'the node',
    send: async (calls) =>
      calls.map(({ method, params }) => {
        asked.push(method);
        if (method !== 'eth_getBlockByNumber') return { result: '0x7' };
        return failure ? { error: failure } : headerOf(Number(params[0]));
      }),
    close: async () => undefined,
  };
  return { node: proveCanonical(node), asked };
}

it('each question is held against the header of its own height', async () => {
  const { node } = nodeOf();
  const calls = [
    balanceAt(5, hashAt(5), true),
    balanceAt(6, hashAt(99), true),
    balanceAt(7, hashAt(7), true),
  ];
  expect(await node.send(calls)).toEqual([
    { result: '0x7' },
    { error: expect.objectContaining({ kind: 'unknown-block' }) },
    { result: '0x7' },
  ]);
});

it('a question whose block need not be canonical is asked as it is', async () => {
  const { node, asked } = nodeOf();
  for (const call of [balanceAt(6, hashAt(99)), balanceAt(6, hashAt(99), false)])
    expect(await node.send([call])).toEqual([{ result: '0x7' }]);
  expect(asked).toEqual(['eth_getBalance', 'eth_getBalance']);
});

it('a header that the node cannot give fails the questions that need it, and no other', async () => {
  const failure = new NodeError('busy', 'not now');
  const { node } = nodeOf(failure);
  const price: RpcCall = { method: 'eth_gasPrice', params: [] };
  expect(await node.send([balanceAt(5, hashAt(5), true), price])).toEqual([
    { error: failure },
    { result: '0x7' },
  ]);
});
