import { expect, it } from '@jest/globals';
import { getBytes, keccak256 } from 'ethers';
import { mayHold } from './bloom.ts';

/** The bits of a value, by the yellow paper: three numbers below 2048. */
function bitsOf(value: string): readonly number[] {
  const hash = getBytes(keccak256(value));
  return [0, 2, 4].map((at) => (hash[at]! * 256 + hash[at + 1]!) % 2048);
}

/** A bloom of these bits, the lowest at the end. */
function bloomOf(bits: readonly number[]): Uint8Array {
  const number = bits.reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
  return getBytes(`0x${number.toString(16).padStart(512, '0')}`);
}

it.each([`0x${'1a'.repeat(20)}`, `0x${'dd'.repeat(32)}`])(
  'a bloom that lacks one bit of %s rules it out',
  (value) => {
    const bits = bitsOf(value);
    const others = bitsOf(`0x${'00'.repeat(20)}`);
    expect(mayHold(bloomOf([...bits, ...others]), value)).toBe(true);
    for (const bit of bits) expect(mayHold(bloomOf(bits.filter((one) => one !== bit)), value)).toBe(false);
  },
);
