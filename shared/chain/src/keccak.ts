// The package's index has every one of its algorithms, a quarter of a megabyte.
import hashWasm from 'hash-wasm/dist/keccak.umd.min.js';

const hasher = await hashWasm.createKeccak(256);

/** Keccak-256 in WebAssembly: an answer needs a hash for each holder and label, an order twenty, and JavaScript takes eight times as long. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}

/** The same as text: 0x and 64 lower-cased hex digits. */
export function keccakHex(bytes: Uint8Array): string {
  return `0x${hasher.init().update(bytes).digest('hex')}`;
}
