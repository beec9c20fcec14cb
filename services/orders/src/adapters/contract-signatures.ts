import type { Network } from '@hindsight/shared/chain/networks.ts';
import type { ProbeItem, ProbeResult } from '@hindsight/shared/chain/probe/probe.ts';
import type { ChainReader } from '@hindsight/shared/chain/reader.ts';
import { Interface } from 'ethers';
import type { ContractSignatures, Verdict } from '../ports.ts';

const ERC1271 = new Interface([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
/** What a contract returns for a right signature (ERC-1271): a bytes4, in a word of its own. */
const MAGIC = Buffer.from(`1626ba7e${'00'.repeat(28)}`, 'hex');
/** More than wallets with several owners or passkeys need. */
const GAS = 5_000_000;

/** Asks contracts on one network, as Permit2 would: whether there is code and what it says, in one `eth_call`. */
export function createContractSignatures(reader: ChainReader, network: Network): ContractSignatures {
  return {
    async check({ chainId, swapper, digest, signature }, timeoutMs) {
      if (chainId !== network.chainId) return 'unknown';
      const data = ERC1271.encodeFunctionData('isValidSignature', [digest, signature]);
      const items: ProbeItem[] = [
        { kind: 'account', target: swapper },
        { kind: 'call', target: swapper, data, gas: GAS, maxBytes: MAGIC.length },
      ];
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      try {
        const asked = reader.read('latest', items).then(({ results }) => verdictOf(results));
        const late = new Promise<Verdict>((resolve) => {
          limit.signal.addEventListener('abort', () => resolve('unknown'), { once: true });
        });
        // Whatever went wrong at the node says nothing about the order.
        return await Promise.race([asked.catch((): Verdict => 'unknown'), late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

function verdictOf([account, call]: readonly ProbeResult[]): Verdict {
  if (account?.status !== 'account' || call === undefined || call.status === 'account') return 'unknown';
  if (account.codeSize === 0) return 'no-contract';
  if (call.status === 'starved') return 'unknown';
  return call.status === 'ok' && call.data.equals(MAGIC) ? 'right' : 'wrong';
}
