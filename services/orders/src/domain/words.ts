/** The 32-byte words that the EVM's encodings consist of, as 64 hexadecimal digits without 0x. */
import { keccakHex } from '@hindsight/chain/keccak.ts';

/** The word of a number (two's complement where it is negative), or of an address or a hash (right-aligned). */
export function wordOf(value: bigint | string): string {
  if (typeof value === 'bigint') return BigInt.asUintN(256, value).toString(16).padStart(64, '0');
  return value.slice(2).toLowerCase().padStart(64, '0');
}

/** The words of several values, concatenated. */
export function wordsOf(values: readonly (bigint | string)[]): string {
  return values.map(wordOf).join('');
}

/** The Keccak-256 hash of bytes that are given as hexadecimal digits without 0x, as a word. */
export function keccakOfHex(digits: string): string {
  return keccakHex(Buffer.from(digits, 'hex')).slice(2);
}
