import type { ReadinessCheck } from '../http/health.ts';
import { quantityToNumber } from './hex.ts';
import { sendOne, type EthereumNode } from './node.ts';

/** Reports whether a node answers, and its head. */
export function nodeReadiness(node: EthereumNode): ReadinessCheck {
  return {
    name: 'ethereum node',
    check: async () =>
      `head ${quantityToNumber(await sendOne(node, 'eth_blockNumber', [], { timeoutMs: 1_200 }))}`,
  };
}
