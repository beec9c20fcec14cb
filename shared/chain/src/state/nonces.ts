import { quantityToNumber } from '../rpc/hex.ts';
import { readInRequests } from '../rpc/in-requests.ts';
import { resultOf, type EthereumNode } from '../rpc/node.ts';
import { orMalformed } from '../rpc/node-error.ts';
import { pinOf, type Block } from './block.ts';
import { CALLS_PER_REQUEST } from './request-size.ts';

/**
 * The number of transactions that an account has sent by each of the blocks (of a contract: that it has created). No instruction
 * of the EVM reads it, so it is no part of a multicall.
 * @throws {NodeError} when no node answers, or none has the state of one of the blocks
 */
export async function readNonces(
  node: EthereumNode,
  address: string,
  blocks: readonly Block[],
  signal?: AbortSignal,
): Promise<readonly number[]> {
  return readInRequests(blocks, CALLS_PER_REQUEST, async (part) => {
    const calls = part.map((block) => ({
      method: 'eth_getTransactionCount',
      params: [address, pinOf(block)],
      height: block.number,
    }));
    const outcomes = await node.send(calls, { signal, independent: true });
    return calls.map((_, i) => {
      const answer = resultOf(outcomes[i]);
      return orMalformed(`${node.label} returned a malformed nonce`, () => quantityToNumber(answer));
    });
  });
}
