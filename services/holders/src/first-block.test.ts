import { expect, it } from '@jest/globals';
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import type { EthereumNode, RpcOutcome } from '@hindsight/chain/rpc/node.ts';
import { firstBlockOf } from './first-block.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const HEAD = 20;

/** A node whose first block is 5, with a contract from a block on. @param lacks the blocks whose state it lacks */
function nodeWith(since: number, lacks = -1): EthereumNode {
  const answer = (block: unknown): RpcOutcome => {
    const height = Number(block);
    if (height <= lacks) return { error: new NodeError('missing-state', 'pruned') };
    return { result: height < since ? '0x' : '0x60' };
  };
  const earliest = { number: numberToQuantity(5), hash: HASH, parentHash: HASH, timestamp: '0x1' };
  return {
    label: 'a node',
    send: async (calls) =>
      calls.map(({ method, params }) =>
        method === 'eth_getCode' ? answer(params[1]) : { result: earliest },
      ),
    close: async () => undefined,
  };
}

it.each([
  ['that of its code', 12, -1, 12],
  ['the last one', HEAD, -1, HEAD],
  ['the first one of the chain', 5, -1, 5],
  ['not known where there is no contract', HEAD + 1, -1, null],
  ['not known where the node lacks the state of old blocks', 7, 8, null],
])('the first block of a contract is %s', async (_what, since, lacks, first) => {
  const { signal } = new AbortController();
  expect(await firstBlockOf(nodeWith(since, lacks), HASH, HEAD, signal)).toBe(first);
});
