import { sendOne, type EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { readBlock } from '@hindsight/chain/state/block.ts';
import type { HeadReader } from '../ports.ts';

/** Reads the newest block. */
export function createHead(node: EthereumNode): HeadReader['head'] {
  return async (signal) =>
    readBlock(node.label, await sendOne(node, 'eth_getBlockByNumber', ['latest', false], { signal }));
}
