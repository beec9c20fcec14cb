import { askContract } from '@hindsight/shared/chain/tokens/erc1271.ts';
import type { Network } from '@hindsight/shared/chain/networks.ts';
import type { ChainReader } from '@hindsight/shared/chain/state/reader.ts';
import type { ContractSignatures } from '../ports.ts';

/** Asks contracts on one network, as Permit2 would (ERC-1271). */
export function createContractSignatures(reader: ChainReader, network: Network): ContractSignatures {
  return {
    async check({ chainId, swapper, digest, signature }, timeoutMs) {
      if (chainId !== network.chainId) return 'unknown';
      return askContract(reader, { address: swapper, digest, signature }, timeoutMs);
    },
  };
}
