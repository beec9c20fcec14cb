/** Finds the block in which a contract was made. */
import { numberToQuantity } from '@hindsight/chain/rpc/hex.ts';
import { NodeError } from '@hindsight/chain/rpc/node-error.ts';
import { askHeader } from '@hindsight/chain/state/block.ts';
import { sendOne, type EthereumNode } from '@hindsight/chain/rpc/node.ts';

/**
 * The first block of a contract, by bisection; null where the node does not have the state of old blocks, or there is
 * no contract. Of a contract that was made several times it is one of these blocks.
 */
export async function firstBlockOf(
  node: EthereumNode,
  address: string,
  head: number,
  signal: AbortSignal,
): Promise<number | null> {
  const isThere = async (height: number): Promise<boolean> =>
    (await sendOne(node, 'eth_getCode', [address, numberToQuantity(height)], { signal })) !== '0x';
  try {
    if (!(await isThere(head))) return null;
    const earliest = await askHeader(node, 'earliest', { signal });
    // A chain may begin with any number.
    let [absent, there] = [(earliest?.number ?? 0) - 1, head];
    while (there - absent > 1) {
      const middle = Math.floor((absent + there) / 2);
      if (await isThere(middle)) there = middle;
      else absent = middle;
    }
    return there;
  } catch (error) {
    if (error instanceof NodeError && (error.kind === 'missing-state' || error.kind === 'unknown-block'))
      return null;
    throw error;
  }
}
