/** Keccak-256 compiled to WebAssembly: an order needs twenty hashes, and JavaScript is ten times slower. */
import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** The hash of some bytes: 64 hexadecimal digits, without 0x. */
export function keccak(bytes: Uint8Array): string {
  return hasher.init().update(bytes).digest('hex');
}

/** The same, of bytes that are given as hexadecimal digits without 0x. */
export function keccakOfHex(digits: string): string {
  return keccak(Buffer.from(digits, 'hex'));
}
