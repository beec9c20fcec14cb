/**
 * Keccak-256 as Ethereum uses it (with the padding of Keccak's submission, not of SHA-3), synchronous and in plain JavaScript:
 * a page can verify an answer without a dependency, and without WebAssembly, which its content security policy may forbid.
 * Source: the Keccak reference 3.0, https://keccak.team/files/Keccak-reference-3.0.pdf
 */

const RATE_BYTES = 136;
const RATE_WORDS = RATE_BYTES / 4;
const HASH_BYTES = 32;
const ROUNDS = 24;
/** 25 lanes of 64 bits, each as its low and its high word. */
const WORDS = 50;

/** Step iota: the low and the high word of each round's constant. */
const CONSTANTS = new Int32Array(2 * ROUNDS);

fillConstants();

/** Bits of a linear feedback shift register, at the positions 2^j - 1 of a lane. */
function fillConstants(): void {
  let register = 1;
  for (let round = 0; round < ROUNDS; round++) {
    for (let j = 0; j < 7; j++) {
      const bit = (1 << j) - 1;
      const word = 2 * round + (bit >> 5);
      if (register & 1) CONSTANTS[word] = (CONSTANTS[word] ?? 0) ^ (1 << (bit & 31));
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
  }
}

/** The hash of some bytes, in 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const state = new Int32Array(WORDS);
  const other = new Int32Array(WORDS);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  for (; at + RATE_BYTES <= bytes.length; at += RATE_BYTES) {
    for (let word = 0; word < RATE_WORDS; word++) state[word]! ^= view.getInt32(at + 4 * word, true);
    permute(state, other);
  }
  const rest = bytes.length - at;
  for (let i = 0; i < rest; i++) addByte(state, i, bytes[at + i]!);
  addByte(state, rest, 1);
  addByte(state, RATE_BYTES - 1, 0x80);
  permute(state, other);
  const hash = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) hash[i] = state[i >> 2]! >>> (8 * (i & 3));
  return hash;
}

function addByte(state: Int32Array, at: number, byte: number): void {
  state[at >> 2]! ^= byte << (8 * (at & 3));
}

/** @param other is overwritten */
function permute(state: Int32Array, other: Int32Array): void {
  for (let round = 0; round < ROUNDS; round += 2) {
    mix(state, other, round);
    mix(other, state, round + 1);
  }
}

/** A word of a lane that is rotated by less than 32 bits. */
function rotated(word: number, other: number, bits: number): number {
  return (word << bits) | (other >>> (32 - bits));
}

/**
 * A round, from one state to the other. Unrolled by hand, as each smaller form is slower: with chi in a function for the five
 * rows, a hash takes 1.8 times as long; with rho and pi in a function too, and chi in a loop, 4 times.
 */
function mix(a: Int32Array, e: Int32Array, round: number): void {
  // Theta: the parity of each column, of which two neighbours are added to each lane.
  const l0 = a[0]! ^ a[10]! ^ a[20]! ^ a[30]! ^ a[40]!;
  const h0 = a[1]! ^ a[11]! ^ a[21]! ^ a[31]! ^ a[41]!;
  const l1 = a[2]! ^ a[12]! ^ a[22]! ^ a[32]! ^ a[42]!;
  const h1 = a[3]! ^ a[13]! ^ a[23]! ^ a[33]! ^ a[43]!;
  const l2 = a[4]! ^ a[14]! ^ a[24]! ^ a[34]! ^ a[44]!;
  const h2 = a[5]! ^ a[15]! ^ a[25]! ^ a[35]! ^ a[45]!;
  const l3 = a[6]! ^ a[16]! ^ a[26]! ^ a[36]! ^ a[46]!;
  const h3 = a[7]! ^ a[17]! ^ a[27]! ^ a[37]! ^ a[47]!;
  const l4 = a[8]! ^ a[18]! ^ a[28]! ^ a[38]! ^ a[48]!;
  const h4 = a[9]! ^ a[19]! ^ a[29]! ^ a[39]! ^ a[49]!;
  const dl0 = l4 ^ rotated(l1, h1, 1);
  const dh0 = h4 ^ rotated(h1, l1, 1);
  const dl1 = l0 ^ rotated(l2, h2, 1);
  const dh1 = h0 ^ rotated(h2, l2, 1);
  const dl2 = l1 ^ rotated(l3, h3, 1);
  const dh2 = h1 ^ rotated(h3, l3, 1);
  const dl3 = l2 ^ rotated(l4, h4, 1);
  const dh3 = h2 ^ rotated(h4, l4, 1);
  const dl4 = l3 ^ rotated(l0, h0, 1);
  const dh4 = h3 ^ rotated(h0, l0, 1);
  // Rho, pi and chi: each row from five lanes, rotated.
  let low: number;
  let high: number;
  let bl0: number;
  let bl1: number;
  let bl2: number;
  let bl3: number;
  let bl4: number;
  let bh0: number;
  let bh1: number;
  let bh2: number;
  let bh3: number;
  let bh4: number;
  low = a[0]! ^ dl0;
  high = a[1]! ^ dh0;
  bl0 = low;
  bh0 = high;
  low = a[12]! ^ dl1;
  high = a[13]! ^ dh1;
  bl1 = rotated(high, low, 12);
  bh1 = rotated(low, high, 12);
  low = a[24]! ^ dl2;
  high = a[25]! ^ dh2;
  bl2 = rotated(high, low, 11);
  bh2 = rotated(low, high, 11);
  low = a[36]! ^ dl3;
  high = a[37]! ^ dh3;
  bl3 = rotated(low, high, 21);
  bh3 = rotated(high, low, 21);
  low = a[48]! ^ dl4;
  high = a[49]! ^ dh4;
  bl4 = rotated(low, high, 14);
  bh4 = rotated(high, low, 14);
  e[0] = bl0 ^ (~bl1 & bl2) ^ CONSTANTS[2 * round]!;
  e[1] = bh0 ^ (~bh1 & bh2) ^ CONSTANTS[2 * round + 1]!;
  e[2] = bl1 ^ (~bl2 & bl3);
  e[3] = bh1 ^ (~bh2 & bh3);
  e[4] = bl2 ^ (~bl3 & bl4);
  e[5] = bh2 ^ (~bh3 & bh4);
  e[6] = bl3 ^ (~bl4 & bl0);
  e[7] = bh3 ^ (~bh4 & bh0);
  e[8] = bl4 ^ (~bl0 & bl1);
  e[9] = bh4 ^ (~bh0 & bh1);
  low = a[6]! ^ dl3;
  high = a[7]! ^ dh3;
  bl0 = rotated(low, high, 28);
  bh0 = rotated(high, low, 28);
  low = a[18]! ^ dl4;
  high = a[19]! ^ dh4;
  bl1 = rotated(low, high, 20);
  bh1 = rotated(high, low, 20);
  low = a[20]! ^ dl0;
  high = a[21]! ^ dh0;
  bl2 = rotated(low, high, 3);
  bh2 = rotated(high, low, 3);
  low = a[32]! ^ dl1;
  high = a[33]! ^ dh1;
  bl3 = rotated(high, low, 13);
  bh3 = rotated(low, high, 13);
  low = a[44]! ^ dl2;
  high = a[45]! ^ dh2;
  bl4 = rotated(high, low, 29);
  bh4 = rotated(low, high, 29);
  e[10] = bl0 ^ (~bl1 & bl2);
  e[11] = bh0 ^ (~bh1 & bh2);
  e[12] = bl1 ^ (~bl2 & bl3);
  e[13] = bh1 ^ (~bh2 & bh3);
  e[14] = bl2 ^ (~bl3 & bl4);
  e[15] = bh2 ^ (~bh3 & bh4);
  e[16] = bl3 ^ (~bl4 & bl0);
  e[17] = bh3 ^ (~bh4 & bh0);
  e[18] = bl4 ^ (~bl0 & bl1);
  e[19] = bh4 ^ (~bh0 & bh1);
  low = a[2]! ^ dl1;
  high = a[3]! ^ dh1;
  bl0 = rotated(low, high, 1);
  bh0 = rotated(high, low, 1);
  low = a[14]! ^ dl2;
  high = a[15]! ^ dh2;
  bl1 = rotated(low, high, 6);
  bh1 = rotated(high, low, 6);
  low = a[26]! ^ dl3;
  high = a[27]! ^ dh3;
  bl2 = rotated(low, high, 25);
  bh2 = rotated(high, low, 25);
  low = a[38]! ^ dl4;
  high = a[39]! ^ dh4;
  bl3 = rotated(low, high, 8);
  bh3 = rotated(high, low, 8);
  low = a[40]! ^ dl0;
  high = a[41]! ^ dh0;
  bl4 = rotated(low, high, 18);
  bh4 = rotated(high, low, 18);
  e[20] = bl0 ^ (~bl1 & bl2);
  e[21] = bh0 ^ (~bh1 & bh2);
  e[22] = bl1 ^ (~bl2 & bl3);
  e[23] = bh1 ^ (~bh2 & bh3);
  e[24] = bl2 ^ (~bl3 & bl4);
  e[25] = bh2 ^ (~bh3 & bh4);
  e[26] = bl3 ^ (~bl4 & bl0);
  e[27] = bh3 ^ (~bh4 & bh0);
  e[28] = bl4 ^ (~bl0 & bl1);
  e[29] = bh4 ^ (~bh0 & bh1);
  low = a[8]! ^ dl4;
  high = a[9]! ^ dh4;
  bl0 = rotated(low, high, 27);
  bh0 = rotated(high, low, 27);
  low = a[10]! ^ dl0;
  high = a[11]! ^ dh0;
  bl1 = rotated(high, low, 4);
  bh1 = rotated(low, high, 4);
  low = a[22]! ^ dl1;
  high = a[23]! ^ dh1;
  bl2 = rotated(low, high, 10);
  bh2 = rotated(high, low, 10);
  low = a[34]! ^ dl2;
  high = a[35]! ^ dh2;
  bl3 = rotated(low, high, 15);
  bh3 = rotated(high, low, 15);
  low = a[46]! ^ dl3;
  high = a[47]! ^ dh3;
  bl4 = rotated(high, low, 24);
  bh4 = rotated(low, high, 24);
  e[30] = bl0 ^ (~bl1 & bl2);
  e[31] = bh0 ^ (~bh1 & bh2);
  e[32] = bl1 ^ (~bl2 & bl3);
  e[33] = bh1 ^ (~bh2 & bh3);
  e[34] = bl2 ^ (~bl3 & bl4);
  e[35] = bh2 ^ (~bh3 & bh4);
  e[36] = bl3 ^ (~bl4 & bl0);
  e[37] = bh3 ^ (~bh4 & bh0);
  e[38] = bl4 ^ (~bl0 & bl1);
  e[39] = bh4 ^ (~bh0 & bh1);
  low = a[4]! ^ dl2;
  high = a[5]! ^ dh2;
  bl0 = rotated(high, low, 30);
  bh0 = rotated(low, high, 30);
  low = a[16]! ^ dl3;
  high = a[17]! ^ dh3;
  bl1 = rotated(high, low, 23);
  bh1 = rotated(low, high, 23);
  low = a[28]! ^ dl4;
  high = a[29]! ^ dh4;
  bl2 = rotated(high, low, 7);
  bh2 = rotated(low, high, 7);
  low = a[30]! ^ dl0;
  high = a[31]! ^ dh0;
  bl3 = rotated(high, low, 9);
  bh3 = rotated(low, high, 9);
  low = a[42]! ^ dl1;
  high = a[43]! ^ dh1;
  bl4 = rotated(low, high, 2);
  bh4 = rotated(high, low, 2);
  e[40] = bl0 ^ (~bl1 & bl2);
  e[41] = bh0 ^ (~bh1 & bh2);
  e[42] = bl1 ^ (~bl2 & bl3);
  e[43] = bh1 ^ (~bh2 & bh3);
  e[44] = bl2 ^ (~bl3 & bl4);
  e[45] = bh2 ^ (~bh3 & bh4);
  e[46] = bl3 ^ (~bl4 & bl0);
  e[47] = bh3 ^ (~bh4 & bh0);
  e[48] = bl4 ^ (~bl0 & bl1);
  e[49] = bh4 ^ (~bh0 & bh1);
}
