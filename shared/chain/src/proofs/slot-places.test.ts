import { describe, expect, it } from '@jest/globals';
import { solidityPackedKeccak256, toBeHex, zeroPadValue } from 'ethers';
import { findPlace, keyAt, type SlotPlace } from './slot-places.ts';

const HOLDER = `0x${'ab'.repeat(20)}`;
const SPENDER = `0x${'cd'.repeat(20)}`;

describe('findPlace', () => {
  it.each<SlotPlace>([
    { layout: 'solidity', index: 0n },
    { layout: 'solidity', index: 255n },
    { layout: 'vyper', index: 3n },
    { layout: 'solady' },
  ])('finds the place of a key at %j', (place) => {
    for (const accounts of [[HOLDER], [HOLDER, SPENDER]])
      expect(findPlace(keyAt(place, accounts), accounts)).toEqual(place);
  });

  it('has the keys of a mapping as Solidity hashes them', () => {
    const words = ['bytes32', 'bytes32'];
    const own = solidityPackedKeccak256(words, [zeroPadValue(HOLDER, 32), toBeHex(9, 32)]);
    expect(keyAt({ layout: 'solidity', index: 9n }, [HOLDER])).toBe(own);
    const nested = solidityPackedKeccak256(words, [zeroPadValue(SPENDER, 32), own]);
    expect(keyAt({ layout: 'solidity', index: 9n }, [HOLDER, SPENDER])).toBe(nested);
  });

  it('has a variable by its index, whatever that is', () => {
    const key = toBeHex(0x05345cdf77eb68f44cn, 32);
    const place = findPlace(key, []);
    expect(place).toEqual({ layout: 'variable', index: 0x05345cdf77eb68f44cn });
    expect(keyAt(place!, [])).toBe(key);
  });

  it('finds none for the key of other accounts, of swapped ones, and of a mapping further up', () => {
    const place = { layout: 'solidity', index: 1n } as const;
    expect(findPlace(keyAt(place, [SPENDER]), [HOLDER])).toBeUndefined();
    expect(findPlace(keyAt(place, [SPENDER, HOLDER]), [HOLDER, SPENDER])).toBeUndefined();
    expect(findPlace(keyAt({ ...place, index: 256n }, [HOLDER]), [HOLDER])).toBeUndefined();
  });
});
