import { askContract } from '@hindsight/chain/tokens/erc1271.ts';
import type { Network } from '@hindsight/chain/networks.ts';
import type { ChainReader } from '@hindsight/chain/state/reader.ts';
import { hashMessage, verifyMessage } from 'ethers/hash';
import type { WalletSignatures } from '../ports.ts';

const NODE_MS = 5_000;
/** 65 bytes as hex. */
const KEY_SIGNATURE_LENGTH = 2 + 130;

/** Verifies against the key and, if that fails, with the contract at the address, provided there is a node to ask. */
export function createWalletSignatures(
  chain: { readonly reader: ChainReader; readonly network: Network } | undefined,
): WalletSignatures {
  return {
    async check(address, message, signature) {
      if (isKeys(address, message, signature)) return 'right';
      if (chain === undefined) return 'wrong';
      const question = { address, digest: hashMessage(message), signature };
      const verdict = await askContract(chain.reader, question, NODE_MS);
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
