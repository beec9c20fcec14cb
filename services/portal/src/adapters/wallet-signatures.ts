import type { Network } from '@hindsight/shared/chain/networks.ts';
import type { ProbeItem, ProbeResult } from '@hindsight/shared/chain/probe/probe.ts';
import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { withDeadline } from '@hindsight/shared/deadline.ts';
import { hashMessage, Interface, verifyMessage } from 'ethers';
import type { WalletSignatures } from '../ports.ts';

type Verdict = Awaited<ReturnType<WalletSignatures['check']>>;

const ERC1271 = new Interface([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** What a contract returns for a right signature (ERC-1271): a bytes4, in a word of its own. */
const MAGIC = Buffer.from(`1626ba7e${'00'.repeat(28)}`, 'hex');
/** More than wallets with several owners or passkeys need. */
const GAS = 5_000_000;
const NODE_MS = 5_000;
/** 65 bytes as hex. */
const KEY_SIGNATURE_LENGTH = 2 + 130;

/** Judges by the key, and where that is not it by the contract at the address, if there is a node to ask. */
export function createWalletSignatures(
  chain: { readonly reader: ChainReader; readonly network: Network } | undefined,
): WalletSignatures {
  return {
    async check(address, message, signature) {
      if (isKeys(address, message, signature)) return 'right';
      if (chain === undefined) return 'wrong';
      const data = ERC1271.encodeFunctionData('isValidSignature', [hashMessage(message), signature]);
      const items: ProbeItem[] = [
        { kind: 'account', target: address },
        { kind: 'call', target: address, data, gas: GAS, maxBytes: MAGIC.length },
      ];
      const asked = chain.reader.read('latest', items).then(({ results }) => verdictOf(results));
      // Whatever goes wrong at the node says nothing about the signature.
      return withDeadline(asked, NODE_MS, () => new Error('late')).catch((): Verdict => 'unknown');
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

function verdictOf([account, call]: readonly ProbeResult[]): Verdict {
  if (account?.status !== 'account' || call === undefined || call.status === 'account') return 'unknown';
  if (account.codeSize === 0) return 'wrong';
  if (call.status === 'starved') return 'unknown';
  return call.status === 'ok' && call.data.equals(MAGIC) ? 'right' : 'wrong';
}
