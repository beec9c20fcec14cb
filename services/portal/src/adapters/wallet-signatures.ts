import { askContract } from '@hindsight/chain/tokens/erc1271.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { EthereumNode } from '@hindsight/chain/rpc/node.ts';
import { ChainReader } from '@hindsight/chain/state/reader.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { hashMessage, verifyMessage } from 'ethers/hash';
import type { WalletSignatures } from '../ports.ts';

const NODE_MS = 5_000;
/** 65 bytes as hex. */
const KEY_SIGNATURE_LENGTH = 2 + 130;

/** Verifies against the key and, if that fails, with the contract at the address, provided there is a node to ask. */
export function createWalletSignatures(
  chain: { readonly node: EthereumNode; readonly network: Network; readonly clock: Clock } | undefined,
): WalletSignatures {
  const reader = chain && new ChainReader(chain);
  return {
    async check(address, message, signature) {
      if (isKeys(address, message, signature)) return 'right';
      if (reader === undefined) return 'wrong';
      const question = { address, digest: hashMessage(message), signature };
      const verdict = await askContract(reader, question, NODE_MS);
      return verdict === 'no-contract' ? 'wrong' : verdict;
    },
  };
}

function isKeys(address: string, message: string, signature: string): boolean {
  if (signature.length !== KEY_SIGNATURE_LENGTH) return false;
  try {
    return verifyMessage(message, signature) === address;
  } catch {
    return false;
  }
}
