import { RLP } from '@ethereumjs/rlp';
import { describe, expect, it } from '@jest/globals';
import { parseBytes, toHex } from './bytes.ts';
import { readList, readNumber, readString } from './rlp.ts';

const bytes = (hex: string): Uint8Array => parseBytes(`0x${hex}`)!;
const ofLength = (length: number): Uint8Array => new Uint8Array(length).fill(0xab);

describe('readList', () => {
  it('reads the strings that another implementation writes, of lengths around each change of the encoding', () => {
    for (const length of [0, 1, 2, 54, 55, 56, 57, 254, 255, 256, 257, 65_535, 65_536]) {
      const items = readList(RLP.encode([ofLength(length), bytes('05')]))!;
      expect(items.map(({ isList, body }) => [isList, body.length])).toEqual([
        [false, length],
        [false, 1],
      ]);
    }
  });

  it('returns a nested list with its encoding, and does not read it yet', () => {
    const [inner] = readList(RLP.encode([[bytes('01'), bytes('8000')]]))!;
    expect([inner!.isList, toHex(inner!.encoded)]).toEqual([true, '0xc401828000']);
  });

  it.each([
    ['nothing', ''],
    ['a string', '83010203'],
    ['a byte after the list', 'c10500'],
    ['a list that ends before its length', 'c205'],
    ['an item that ends after its list', 'c18201'],
    ['a byte below 0x80 with a prefix', 'c28105'],
    ['a long form of a short string', `c4b801ff05`],
    ['a long form of a short list', 'f80105'],
    ['a length with a leading zero', `f9003a${'05'.repeat(58)}`],
    ['a length of a length that is cut off', 'f9'],
    ['a length of four bytes', `fb00000038${'05'.repeat(56)}`],
    ['a length beyond all numbers', `ff${'ff'.repeat(8)}`],
  ])('refuses %s', (_what, hex) => {
    expect(readList(bytes(hex))).toBeUndefined();
  });
});

describe('readString', () => {
  it('reads one string, and refuses a list and what follows it', () => {
    expect(readString(bytes('820400'))).toEqual(bytes('0400'));
    expect(readString(bytes('05'))).toEqual(bytes('05'));
    expect(['c0', '0505', '8105', ''].map((hex) => readString(bytes(hex)))).toEqual(Array(4).fill(undefined));
  });
});

describe('readNumber', () => {
  const numberOf = (body: Uint8Array, isList = false) => readNumber({ isList, body, encoded: body });

  it('reads numbers of up to 256 bits', () => {
    expect(numberOf(bytes(''))).toBe(0n);
    expect(numberOf(bytes('0400'))).toBe(1_024n);
    expect(numberOf(bytes('ff'.repeat(32)))).toBe(2n ** 256n - 1n);
  });

  it('refuses leading zeros, more bits, and lists', () => {
    expect(numberOf(bytes('00'))).toBeUndefined();
    expect(numberOf(bytes('0001'))).toBeUndefined();
    expect(numberOf(bytes(`01${'00'.repeat(32)}`))).toBeUndefined();
    expect(numberOf(bytes('01'), true)).toBeUndefined();
  });
});
