import { expect, it } from '@jest/globals';
import { areEqual, join, parseBytes, toHex, toWord } from './bytes.ts';

it('bytes are 0x and pairs of hexadecimal digits of either case, and nothing else', () => {
  expect(toHex(parseBytes('0x00aF10')!)).toBe('0x00af10');
  expect(parseBytes('0x')).toEqual(new Uint8Array());
  for (const text of [
    '',
    '00',
    'x0aa',
    '1x00',
    '0x0',
    '0xg0',
    '0x0g',
    '0x0G',
    '0x/0',
    '0x:0',
    '0x@0',
    '0x`0',
  ])
    expect([text, parseBytes(text)]).toEqual([text, undefined]);
});

it('a word has 32 bytes, and no amount is cut to fit', () => {
  expect(toHex(toWord(258n))).toBe(`0x${'00'.repeat(30)}0102`);
  expect(toHex(toWord(2n ** 256n - 1n))).toBe(`0x${'ff'.repeat(32)}`);
  for (const amount of [2n ** 256n, 2n ** 260n, -1n]) expect(() => toWord(amount)).toThrow(RangeError);
});

it('bytes are equal to as many of the same', () => {
  const [one, longer] = [Uint8Array.of(1), Uint8Array.of(1, 2)];
  expect([areEqual(one, Uint8Array.of(1)), areEqual(one, longer), areEqual(longer, one)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(join(one, longer)).toEqual(Uint8Array.of(1, 1, 2));
});
