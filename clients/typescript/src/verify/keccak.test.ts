import { describe, expect, it } from '@jest/globals';
import { keccak256 as theirs } from 'ethers';
import { toHex } from './bytes.ts';
import { keccak256 } from './keccak.ts';

describe('keccak256', () => {
  it('hashes nothing and a word as Ethereum does', () => {
    expect(toHex(keccak256(new Uint8Array()))).toBe(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
    expect(toHex(keccak256(new TextEncoder().encode('abc')))).toBe(
      '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
    );
  });

  it('gives the hash of another implementation, for every length over five blocks', () => {
    for (let length = 0; length <= 680; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 151 + length * 7) & 255);
      expect([length, toHex(keccak256(bytes))]).toEqual([length, theirs(bytes)]);
    }
  });
});

it('hashes a part of a larger buffer', () => {
  const whole = Uint8Array.from({ length: 400 }, (_, at) => at % 251);
  for (const [from, to] of [
    [7, 7],
    [7, 143],
    [7, 144],
    [9, 400],
  ] as const)
    expect(keccak256(whole.subarray(from, to))).toEqual(keccak256(whole.slice(from, to)));
});
