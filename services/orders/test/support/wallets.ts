/** Contract wallets as bytecode, put on the dev chain. */
import { Interface, keccak256 } from 'ethers';

const ERC1271 = new Interface([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);
const MAGIC = '631626ba7e60e01b';
const RETURN_WORD = '60005260206000f3';

/** Confirms every signature. */
export const APPROVES_ALL = `0x${MAGIC}${RETURN_WORD}`;
/** Returns zero. */
export const APPROVES_NONE = `0x6000${RETURN_WORD}`;
/** Reverts. */
export const REVERTS = '0x60006000fd';

/** Confirms one digest only. */
export function approvesOnly(digest: string): string {
  return `0x7f${digest.slice(2)}60043514${MAGIC}02${RETURN_WORD}`;
}

/** Confirms one digest with one signature only: the call's whole data is compared by its hash. */
export function approvesExactly(digest: string, signature: string): string {
  const call = ERC1271.encodeFunctionData('isValidSignature', [digest, signature]);
  return `0x36600060003736600020${keccak256(call).replace('0x', '7f')}14${MAGIC}02${RETURN_WORD}`;
}

/** Puts code at an address. */
export async function setCode(nodeUrl: string, address: string, code: string): Promise<void> {
  for (const [method, params] of [
    ['anvil_setCode', [address, code]],
    ['evm_mine', []],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(nodeUrl, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const answer = (await response.json()) as { error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  }
}
