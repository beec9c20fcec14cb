import { createKeccak } from 'hash-wasm';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const MIXED = /[a-f].*[A-F]|[A-F].*[a-f]/;
const LAST_DIGIT = '9'.charCodeAt(0);
const TO_UPPER_CASE = 'a'.charCodeAt(0) - 'A'.charCodeAt(0);

/** In WebAssembly: a snapshot needs a hash for each of its holders, and JavaScript takes eight times as long. */
const hasher = await createKeccak(256);

/** An address as EIP-55 writes it. @param address 0x and 40 hex digits, in any case */
export function toChecksum(address: string): string {
  const digits = Buffer.from(address.slice(2).toLowerCase(), 'latin1');
  const hash = hasher.init().update(digits).digest('binary');
  for (let at = 0; at < digits.length; at++) {
    const isUpper = (hash[at >> 1] ?? 0) & (at % 2 === 0 ? 0x80 : 0x08);
    const digit = digits[at] ?? 0;
    if (isUpper && digit > LAST_DIGIT) digits[at] = digit - TO_UPPER_CASE;
  }
  return `0x${digits.toString('latin1')}`;
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
  if (MIXED.test(value.slice(2)) && toChecksum(value) !== value) {
    return 'its checksum (EIP-55) is wrong, so it may have a typo; expected the right mixed case, or all lower case';
  }
  return undefined;
}
