import { getAddress } from 'ethers';
import { LRUCache } from 'lru-cache';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Each checksum costs a Keccak hash, and the same addresses are asked for repeatedly. */
const checksums = new LRUCache<string, string>({ max: 20_000 });

/** An address as EIP-55 writes it. @param address 0x and 40 hex digits, in any case */
export function toChecksum(address: string): string {
  const key = address.toLowerCase();
  const known = checksums.get(key);
  if (known !== undefined) return known;
  const checksum = getAddress(key);
  checksums.set(key, checksum);
  return checksum;
}

/**
 * What is wrong with an address, or undefined if it is valid. Accepted: 0x and 40 hex digits in lower or upper case,
 * or in mixed case with a right EIP-55 checksum.
 */
export function addressFault(value: string): string | undefined {
  if (value === '') return 'it is empty; expected 0x and 40 hexadecimal digits';
  if (!ADDRESS.test(value)) {
    if (!value.startsWith('0x'))
      return 'expected an address that begins with 0x, followed by 40 hexadecimal digits';
    if (value.length !== 42) return `expected 0x and 40 hexadecimal digits, not ${value.length - 2}`;
    return 'it has characters that are not hexadecimal; expected 0x and 40 hexadecimal digits';
  }
  if (isMixed(value.slice(2)) && toChecksum(value) !== value) {
    return 'its checksum (EIP-55) is wrong, so it may have a typo; expected the right mixed case, or all lower case';
  }
  return undefined;
}

function isMixed(digits: string): boolean {
  return /[a-f]/.test(digits) && /[A-F]/.test(digits);
}
