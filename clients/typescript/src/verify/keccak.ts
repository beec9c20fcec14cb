/**
 * Keccak-256 as Ethereum uses it (with the padding of Keccak's submission, not of SHA-3), synchronous and in plain JavaScript:
 * a page can verify an answer without a dependency, and without WebAssembly, which its content security policy may forbid.
 * Source: the Keccak reference 3.0, https://keccak.team/files/Keccak-reference-3.0.pdf
 */

const RATE_BYTES = 136;
const HASH_BYTES = 32;
const ROUNDS = 24;
/** 25 lanes of 64 bits, each as its low and its high word. */
const WORDS = 50;

/** Steps rho and pi as one walk over 24 lanes: the word at which the next lane begins, and the bits by which it is rotated. */
const WALK = new Uint8Array(24);
const ROTATIONS = new Uint8Array(24);
/** Step iota: the low and the high word of each round's constant. */
const CONSTANTS = new Int32Array(2 * ROUNDS);

fillWalk();
fillConstants();

function fillWalk(): void {
  let x = 1;
  let y = 0;
  for (let step = 0; step < 24; step++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    WALK[step] = 2 * (x + 5 * y);
    ROTATIONS[step] = (((step + 1) * (step + 2)) / 2) % 64;
  }
}

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
  let at = 0;
  for (; at + RATE_BYTES <= bytes.length; at += RATE_BYTES) {
    absorb(state, bytes, at);
    permute(state);
  }
  const last = new Uint8Array(RATE_BYTES);
  last.set(bytes.subarray(at));
  last[bytes.length - at] = 1;
  last[RATE_BYTES - 1] = (last[RATE_BYTES - 1] ?? 0) | 0x80;
  absorb(state, last, 0);
  permute(state);
  const hash = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i++) hash[i] = (state[i >> 2] ?? 0) >>> (8 * (i & 3));
  return hash;
}

function absorb(state: Int32Array, bytes: Uint8Array, from: number): void {
  for (let word = 0, at = from; word < RATE_BYTES / 4; word++, at += 4) {
    const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
    const high = (bytes[at + 2] ?? 0) | ((bytes[at + 3] ?? 0) << 8);
    state[word] = (state[word] ?? 0) ^ (low | (high << 16));
  }
}

function permute(s: Int32Array): void {
  for (let round = 0; round < ROUNDS; round++) {
    mixColumns(s);
    rotateLanes(s);
    for (let y = 0; y < WORDS; y += 10) mixRow(s, y);
    s[0] = (s[0] ?? 0) ^ (CONSTANTS[2 * round] ?? 0);
    s[1] = (s[1] ?? 0) ^ (CONSTANTS[2 * round + 1] ?? 0);
  }
}

/** Step theta. Unrolled, as step chi is: loops over the five lanes take twice as long. */
function mixColumns(s: Int32Array): void {
  const l0 = sumOf(s, 0);
  const h0 = sumOf(s, 1);
  const l1 = sumOf(s, 2);
  const h1 = sumOf(s, 3);
  const l2 = sumOf(s, 4);
  const h2 = sumOf(s, 5);
  const l3 = sumOf(s, 6);
  const h3 = sumOf(s, 7);
  const l4 = sumOf(s, 8);
  const h4 = sumOf(s, 9);
  mixColumn(s, 0, l4 ^ rotated(l1, h1), h4 ^ rotated(h1, l1));
  mixColumn(s, 2, l0 ^ rotated(l2, h2), h0 ^ rotated(h2, l2));
  mixColumn(s, 4, l1 ^ rotated(l3, h3), h1 ^ rotated(h3, l3));
  mixColumn(s, 6, l2 ^ rotated(l4, h4), h2 ^ rotated(h4, l4));
  mixColumn(s, 8, l3 ^ rotated(l0, h0), h3 ^ rotated(h0, l0));
}

function sumOf(s: Int32Array, x: number): number {
  return (s[x] ?? 0) ^ (s[x + 10] ?? 0) ^ (s[x + 20] ?? 0) ^ (s[x + 30] ?? 0) ^ (s[x + 40] ?? 0);
}

/** A word of a lane that is rotated by one bit. */
function rotated(word: number, other: number): number {
  return (word << 1) | (other >>> 31);
}

function mixColumn(s: Int32Array, x: number, low: number, high: number): void {
  mixLane(s, x, low, high);
  mixLane(s, x + 10, low, high);
  mixLane(s, x + 20, low, high);
  mixLane(s, x + 30, low, high);
  mixLane(s, x + 40, low, high);
}

function mixLane(s: Int32Array, at: number, low: number, high: number): void {
  s[at] = (s[at] ?? 0) ^ low;
  s[at + 1] = (s[at + 1] ?? 0) ^ high;
}

/** Steps rho and pi. */
function rotateLanes(s: Int32Array): void {
  let low = s[2] ?? 0;
  let high = s[3] ?? 0;
  for (let step = 0; step < 24; step++) {
    const at = WALK[step] ?? 0;
    const rotation = ROTATIONS[step] ?? 0;
    const bits = rotation & 31;
    const first = (low << bits) | (high >>> (32 - bits));
    const second = (high << bits) | (low >>> (32 - bits));
    low = s[at] ?? 0;
    high = s[at + 1] ?? 0;
    const isHalf = rotation >= 32;
    s[at] = isHalf ? second : first;
    s[at + 1] = isHalf ? first : second;
  }
}

/** Step chi, on the row whose first word is at y. */
function mixRow(s: Int32Array, y: number): void {
  const l0 = s[y] ?? 0;
  const h0 = s[y + 1] ?? 0;
  const l1 = s[y + 2] ?? 0;
  const h1 = s[y + 3] ?? 0;
  const l2 = s[y + 4] ?? 0;
  const h2 = s[y + 5] ?? 0;
  const l3 = s[y + 6] ?? 0;
  const h3 = s[y + 7] ?? 0;
  const l4 = s[y + 8] ?? 0;
  const h4 = s[y + 9] ?? 0;
  s[y] = l0 ^ (~l1 & l2);
  s[y + 1] = h0 ^ (~h1 & h2);
  s[y + 2] = l1 ^ (~l2 & l3);
  s[y + 3] = h1 ^ (~h2 & h3);
  s[y + 4] = l2 ^ (~l3 & l4);
  s[y + 5] = h2 ^ (~h3 & h4);
  s[y + 6] = l3 ^ (~l4 & l0);
  s[y + 7] = h3 ^ (~h4 & h0);
  s[y + 8] = l4 ^ (~l0 & l1);
  s[y + 9] = h4 ^ (~h0 & h1);
}
