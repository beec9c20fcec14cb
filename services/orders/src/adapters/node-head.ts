import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { askHeader } from '@hindsight/chain/state/block.ts';
import type { HeadReader } from '../ports.ts';

/** Reads the newest block. */
export function createHead(node: EthereumNode): HeadReader['head'] {
  return (signal) => askHeader(node, 'latest', { signal });
}
