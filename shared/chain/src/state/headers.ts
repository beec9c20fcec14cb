/** Reads several headers in one HTTP request. */
import { readBlock, type Block } from './block.ts';
import { numberToQuantity } from '../rpc/hex.ts';
import { resultOf, type EthereumNode } from '../rpc/node.ts';
import { NodeError } from '../rpc/node-error.ts';

/** Names a header: by height, or by what it is on the chain (execution-apis, "Block tag"). */
export type HeaderTag = number | 'earliest' | 'latest' | 'finalized';

/**
 * The headers in the order of the tags; null where the node has none. A node that does not know `finalized` may say so
 * by an error, which is null too.
 * @throws {NodeError} also when the node answers another height than the one asked for
 */
export async function readHeaders(
  node: EthereumNode,
  tags: readonly HeaderTag[],
  signal?: AbortSignal,
): Promise<readonly (Block | null)[]> {
  const outcomes = await node.send(
    tags.map((tag) => ({
      method: 'eth_getBlockByNumber',
      params: [typeof tag === 'number' ? numberToQuantity(tag) : tag, false],
    })),
    { signal },
  );
  return tags.map((tag, index) => {
    const outcome = outcomes[index];
    if (tag === 'finalized' && outcome && 'error' in outcome) return null;
    const block = readBlock(node.label, resultOf(outcome));
    if (typeof tag === 'number' && block !== null && block.number !== tag) {
      throw new NodeError('malformed', `${node.label} answered another block than the one asked for`);
    }
    return block;
  });
}
