import { askContract, hasCode } from '@hindsight/chain/tokens/erc1271.ts';
import { KnownBlocks } from '@hindsight/chain/state/known-blocks.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { ContractSignatures } from '../ports.ts';

/** A network whose contract wallets can be asked. */
export interface OrderNetwork {
  readonly network: Network;
  readonly node: EthereumNode;
}

/** Asks contracts of each network, as Permit2 would (ERC-1271); those of other chains are unknown. */
export function createContractSignatures(
  networks: readonly OrderNetwork[],
  clock: Clock,
): ContractSignatures {
  const readers = new Map(
    networks.map(({ network, node }) => {
      const latest = new ChainReader({ node, network, clock });
      /** Keeps no head. */
      const atNewHeads = new ChainReader({ node, network, clock, known: new KnownBlocks(clock, 0) });
      return [network.chainId, { latest, atNewHeads }];
    }),
  );
  return {
    async check({ chainId, swapper, digest, signature }, { timeoutMs, atNewHead = false }) {
      const reader = readers.get(chainId)?.[atNewHead ? 'atNewHeads' : 'latest'];
      if (reader === undefined) return 'unknown';
      return askContract(reader, { address: swapper, digest, signature }, timeoutMs);
    },
    async hasCode({ chainId, swapper }, { timeoutMs }) {
      const reader = readers.get(chainId)?.latest;
      return reader && hasCode(reader, swapper, timeoutMs);
    },
  };
}
