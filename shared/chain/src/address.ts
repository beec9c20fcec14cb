import { keccak } from './keccak.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Filled and read without a pause in between, so that one buffer serves all addresses. */
const spelling = Buffer.from('0x'.padEnd(42, '0'), 'latin1');
const digits = spelling.subarray(2);
/** Hexadecimal digits in lower case, by their bytes in any case; 0 for all other bytes. */
const LOWER = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') LOWER[digit.charCodeAt(0)] = digit.toLowerCase().charCodeAt(0);
/** Bits for capital and for small letters: by a byte's 32 codes. */
const BOTH_CASES = (1 << 2) | (1 << 3);

/** An address in EIP-55's spelling. @param address 0x and 40 hex digits, in any case */
export function toChecksum(address: string): string {
  digits.write(address.slice(2).toLowerCase(), 'latin1');
  return spell();
}

/** The address whose digits are in the buffer, which it leaves in the same spelling. */
function spell(): string {
  const hash = keccak(digits);
  for (let at = 0; at < digits.length; at += 2) {
    const byte = hash[at >> 1]!;
    const first = digits[at]!;
    const second = digits[at + 1]!;
    // Without branches: half of them would be mispredicted. Of the digits, only letters have bit 6; bit 5 is their case.
    digits[at] = first - (((byte >> 7) & (first >> 6)) << 5);
    digits[at + 1] = second - (((byte >> 3) & (second >> 6) & 1) << 5);
  }
  return spelling.toString('latin1');
}

/** A returned word as an address (EIP-55). Null for zero, and for what is no address. */
export function wordToAddress(word: bigint | undefined): string | null {
  if (word === undefined || word === 0n || word >= 1n << 160n) return null;
  return toChecksum(`0x${word.toString(16).padStart(40, '0')}`);
}

/**
 * Reads an address: lower or upper case, or mixed case with a right EIP-55 checksum.
 * @returns the address in EIP-55's spelling, or the fault
 */
export function readAddress(value: string): { readonly address: string } | { readonly fault: string } {
  const shape = shapeFault(value);
  if (shape !== undefined) return { fault: shape };
  const address = toChecksum(value);
  if (address === value || !isMixed(value)) return { address };
  return {
    fault:
      'its checksum (EIP-55) is wrong, so it may have a typo; expected the right mixed case, or all lower case',
  };
}

/**
 * Reads bytes as `readAddress` reads their text, in half the time: a body may have a million rows.
 * @returns undefined where they are no address, or one with a fault
 */
export function readAddressBytes(bytes: Uint8Array, from = 0, end = bytes.length): string | undefined {
  if (end - from !== spelling.length || bytes[from] !== spelling[0] || bytes[from + 1] !== spelling[1])
    return undefined;
  let cases = 0;
  for (let at = 2; at < spelling.length; at++) {
    const byte = bytes[from + at]!;
    const digit = LOWER[byte]!;
    if (digit === 0) return undefined;
    spelling[at] = digit;
    cases |= 1 << (byte >> 5);
  }
  const address = spell();
  const isMixed = (cases & BOTH_CASES) === BOTH_CASES;
  return isMixed && spelling.compare(bytes, from, end) !== 0 ? undefined : address;
}

function shapeFault(value: string): string | undefined {
  if (ADDRESS.test(value)) return undefined;
  if (value === '') return 'it is empty; expected 0x and 40 hexadecimal digits';
  if (!value.startsWith('0x'))
    return 'expected an address that begins with 0x, followed by 40 hexadecimal digits';
  if (value.length !== 42) return `expected 0x and 40 hexadecimal digits, not ${value.length - 2}`;
  return 'it has characters that are not hexadecimal; expected 0x and 40 hexadecimal digits';
}

/** The x of 0x is none of these letters. */
function isMixed(address: string): boolean {
  return /[a-f]/.test(address) && /[A-F]/.test(address);
}
