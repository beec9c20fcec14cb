import { expect, it } from '@jest/globals';
import {
  dataToBytes,
  numberToQuantity,
  parseHash,
  quantityToBigInt,
  quantityToNumber,
  readQuantity,
  wordToBigInt,
} from './hex.ts';

const ODD = [undefined, null, 5, '', '5', '0x', '0x-1', '0x1.5', '0xg', ' 0x1', `0x1${'0'.repeat(64)}`];

it('a quantity is a number up to 2^53, or an amount of 256 bits', () => {
  for (const number of [0, 1, 255, Number.MAX_SAFE_INTEGER]) {
    expect(readQuantity(numberToQuantity(number))).toBe(number);
    expect(quantityToNumber(numberToQuantity(number))).toBe(number);
  }
  expect(quantityToBigInt(`0x${'F'.repeat(64)}`)).toBe(2n ** 256n - 1n);
  for (const value of ODD) {
    expect(readQuantity(value)).toBeUndefined();
    expect(() => quantityToBigInt(value)).toThrow(TypeError);
  }
  // As a number it would be another one.
  expect(readQuantity('0x20000000000001')).toBeUndefined();
  expect(() => quantityToNumber('0x20000000000001')).toThrow(TypeError);
});

it('a hash has 32 bytes, in lower case', () => {
  expect(parseHash(`0x${'Ab'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`);
  for (const value of [...ODD, `0x${'ab'.repeat(31)}`, 'ab'.repeat(32)])
    expect(() => parseHash(value)).toThrow(TypeError);
});

it('data are whole bytes', () => {
  expect(dataToBytes('0x')).toEqual(Buffer.alloc(0));
  expect(dataToBytes('0x00aF')).toEqual(Buffer.of(0, 0xaf));
  for (const value of [undefined, 5, '', '00', '0x0', '0x0g', '0xg000', '0x00 '])
    expect(() => dataToBytes(value)).toThrow(TypeError);
});

it('a word is read whole, however large it is', () => {
  for (const number of [0n, 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 71n, 2n ** 256n - 1n]) {
    const word = Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
    expect(wordToBigInt(word)).toBe(number);
    expect(wordToBigInt(Buffer.concat([Buffer.of(9), word, Buffer.of(9)]), 1)).toBe(number);
  }
});
