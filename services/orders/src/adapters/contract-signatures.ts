import { askContract, hasCode } from '@hindsight/chain/tokens/erc1271.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ContractSignatures } from '../ports.ts';

/** Asks contracts on one network, as Permit2 would (ERC-1271). */
export function createContractSignatures(
  node: EthereumNode,
  network: Network,
  clock: Clock,
): ContractSignatures {
  const reader = new ChainReader({ node, network, clock });
  /** Keeps no head. */
  const atNewHeads = new ChainReader({ node, network, clock, known: new KnownBlocks(clock, 0) });
  return {
    async check({ chainId, swapper, digest, signature }, { timeoutMs, atNewHead = false }) {
      if (chainId !== network.chainId) return 'unknown';
      const question = { address: swapper, digest, signature };
      return askContract(atNewHead ? atNewHeads : reader, question, timeoutMs);
    },
    async hasCode({ chainId, swapper }, { timeoutMs }) {
      return chainId === network.chainId ? hasCode(reader, swapper, timeoutMs) : undefined;
    },
  };
}
