import { describe, expect, it } from '@jest/globals';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import { AbiCoder, FunctionFragment, type ParamType } from 'ethers';
import fc from 'fast-check';
import { typedValues } from '../../test/support/abi-values.ts';
import { decodeCanonical, decodeValues, MalformedEncoding } from './decode.ts';
import { TypeReader, UnsupportedType } from './types.ts';

const coder = AbiCoder.defaultAbiCoder();
const typesOf = (types: string): readonly ParamType[] => FunctionFragment.from(`f(${types})`).inputs;
const paramsOf = (types: string) => new TypeReader().params(typesOf(types));
const encode = (types: string, values: readonly unknown[]): Buffer =>
  Buffer.from(coder.encode(typesOf(types), values).slice(2), 'hex');
const decode = (types: string, data: Buffer): unknown[] =>
  coder.decode(typesOf(types), data).toArray(true) as unknown[];

/** True if ethers encodes to these bytes the values that it decodes from them. */
function isCanonical(types: string, data: Buffer): boolean {
  try {
    return encode(types, decode(types, data)).equals(data);
  } catch {
    return false;
  }
}

/** The values, or undefined where the bytes are refused. */
function attempt(decoder: typeof decodeValues, types: string, data: Buffer): readonly unknown[] | undefined {
  try {
    return decoder(paramsOf(types), data);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedEncoding);
    return undefined;
  }
}

describe.each([
  ['of any encoding', decodeValues],
  ['of the canonical encoding', decodeCanonical],
])('the decoder %s', (_which, decoder) => {
  it('reads what ethers encodes, for any types and values', () => {
    const property = fc.property(typedValues, ({ types, values }) =>
      expect(decoder(paramsOf(types), encode(types, values))).toEqual(values),
    );
    fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it('reads values or refuses, whatever the bytes', () => {
    const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const faults = fc.array(fc.tuple(fc.nat(), word), { maxLength: 3 });
    const property = fc.property(
      typedValues,
      faults,
      fc.nat({ max: 64 }),
      ({ types, values }, words, cut) => {
        const data = encode(types, values);
        for (const [at, bytes] of words) bytes.forEach((byte, i) => (data[(at + i) % data.length] = byte));
        attempt(decoder, types, data.subarray(0, Math.max(0, data.length - cut)));
      },
    );
    fc.assert(property, { numRuns: 300, seed: 1 });
  });

  it('does not expand an encoding whose offsets lead to the same list again and again', () => {
    const words = 500;
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    // Each of the outer lists' 500 offsets leads back to a list of 500 offsets.
    const back = Buffer.from(`${word(32)}${word(words)}${word(0).repeat(words)}`, 'hex');
    for (let i = 0; i < words; i++) back.write(word(words), 64 + 32 * i, 'hex');
    expect(() => decoder(paramsOf('uint256[][][]'), back)).toThrow(MalformedEncoding);
  });

  it.each([
    ['a length beyond all numbers', 'bytes', `${'0'.repeat(62)}20${'f'.repeat(64)}`],
    ['an offset beyond the data', 'bytes', `${'0'.repeat(60)}ffff`],
    ['a huge count', 'uint8[]', `${'0'.repeat(62)}20${'0'.repeat(56)}7fffffff`],
    ['nothing', 'uint256', ''],
    ['a wrong address', 'address', '1'.repeat(64)],
    ['a wrong number', 'int8', `${'0'.repeat(62)}80`],
    ['wrong bytes', 'bytes1', '1'.repeat(64)],
    ['no UTF-8', 'string', `${'0'.repeat(62)}20${'0'.repeat(63)}1ff${'0'.repeat(62)}`],
  ])('refuses %s', (_what, types, data) => {
    expect(() => decoder(paramsOf(types), Buffer.from(data, 'hex'))).toThrow(MalformedEncoding);
  });
});

describe('the decoder of the canonical encoding', () => {
  it('accepts an encoding with a changed byte only if ethers would produce it', () => {
    const changed = fc.tuple(typedValues, fc.nat(), fc.integer({ min: 1, max: 255 }));
    let taken = 0;
    const property = fc.property(changed, ([{ types, values }, position, change]) => {
      const data = encode(types, values);
      fc.pre(data.length > 0);
      data[position % data.length]! ^= change;
      const read = attempt(decodeCanonical, types, data);
      expect(read !== undefined).toBe(isCanonical(types, data));
      if (read === undefined) return;
      taken++;
      expect(read).toEqual(decode(types, data));
    });
    fc.assert(property, { ...cases(400), seed: 3 });
    expect(taken).toBeGreaterThan(20);
  });

  it('rejects missing and trailing bytes', () => {
    const property = fc.property(typedValues, ({ types, values }) => {
      const data = encode(types, values);
      fc.pre(data.length > 0);
      expect(attempt(decodeCanonical, types, data.subarray(0, -32))).toBeUndefined();
      expect(attempt(decodeCanonical, types, Buffer.concat([data, Buffer.alloc(32)]))).toBeUndefined();
    });
    fc.assert(property, { seed: 2 });
  });
});

describe('types', () => {
  it.each([
    ['too many', Array(65).fill('bool').join(','), 'it has more than 64 arguments and values'],
    ['an array of nothing', 'uint8[0]', 'an array of length 0 holds nothing'],
    ['too deep', `uint8${'[]'.repeat(9)}`, 'its types are nested more than 8 deep'],
    ['too deep', `${'tuple('.repeat(9)}bool${')'.repeat(9)}`, 'its types are nested more than 8 deep'],
  ])('are refused where they are %s', (_how, types, message) => {
    expect(() => paramsOf(types)).toThrow(new UnsupportedType(message));
  });
});
