import { describe, expect, it } from '@jest/globals';
import { AbiCoder, Interface } from 'ethers';
import fc from 'fast-check';
import { parseFunction } from './abi-type.ts';
import { decodeValues, MalformedAnswer, type AbiValue } from './decode.ts';
import { encodeCall } from './encode.ts';
import { readRevert } from './revert.ts';

/** A type as Solidity writes it, with a value of it as answers have it. */
interface Typed {
  readonly type: string;
  readonly value: fc.Arbitrary<AbiValue>;
}

const hex = (size: number) =>
  fc
    .uint8Array({ minLength: size, maxLength: size })
    .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const integer = (bits: number, signed: boolean): Typed => ({
  type: `${signed ? 'int' : 'uint'}${bits}`,
  value: fc
    .bigInt(signed ? -(2n ** BigInt(bits - 1)) : 0n, 2n ** BigInt(signed ? bits - 1 : bits) - 1n)
    .map((value) => value.toString()),
});
const basic: fc.Arbitrary<Typed> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 32 }), fc.boolean())
    .map(([bytes, signed]) => integer(8 * bytes, signed)),
  fc.integer({ min: 1, max: 32 }).map((size) => ({ type: `bytes${size}`, value: hex(size) })),
  fc.constantFrom<Typed>(
    { type: 'bool', value: fc.boolean() },
    { type: 'string', value: fc.string({ unit: 'binary', maxLength: 40 }) },
    { type: 'bytes', value: fc.nat({ max: 70 }).chain(hex) },
    { type: 'address', value: fc.constantFrom('0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8') },
  ),
);
const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    basic,
    tie('any').map(({ type, value }) => ({ type: `${type}[]`, value: fc.array(value, { maxLength: 3 }) })),
    fc.tuple(tie('any'), fc.integer({ min: 1, max: 3 })).map(([{ type, value }, length]) => ({
      type: `${type}[${length}]`,
      value: fc.array(value, { minLength: length, maxLength: length }),
    })),
    fc.array(tie('any'), { minLength: 1, maxLength: 3 }).map((components) => ({
      type: `tuple(${components.map(({ type }) => type).join(',')})`,
      value: fc.tuple(...components.map(({ value }) => value)),
    })),
  ),
})).any;
const list = fc
  .array(typed, { maxLength: 3 })
  .chain((types) => fc.tuple(...types.map(({ value }) => value)).map((values) => ({ types, values })));

const shapeOf = (types: readonly Typed[]) => {
  const inner = types.map(({ type }) => type).join(',');
  return { inner, text: `f(${inner}) returns (${inner})` };
};

describe('calls and their answers', () => {
  it('are encoded and decoded as ethers does, for any types and values', () => {
    fc.assert(
      fc.property(list, ({ types, values }) => {
        const { inner, text } = shapeOf(types);
        const called = parseFunction(text);
        const data = encodeCall(called, values, 'args[0]');
        expect(data).toBe(new Interface([`function f(${inner})`]).encodeFunctionData('f', values));
        expect(decodeValues(called.outputs, Buffer.from(data.slice(10), 'hex'))).toEqual(values);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('are malformed or have values, whatever bytes a contract returns', () => {
    const damaged = fc.tuple(
      list,
      fc.array(fc.tuple(fc.nat(), hex(32)), { maxLength: 3 }),
      fc.nat({ max: 64 }),
    );
    fc.assert(
      fc.property(damaged, ([{ types, values }, faults, cut]) => {
        const called = parseFunction(shapeOf(types).text);
        const data = Buffer.from(encodeCall(called, values, 'args[0]').slice(10), 'hex');
        for (const [at, word] of faults) data.write(word.slice(2), data.length && at % data.length, 'hex');
        try {
          decodeValues(called.outputs, data.subarray(0, Math.max(0, data.length - cut)));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedAnswer);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('do not expand: an answer whose offsets lead to the same list again and again is malformed', () => {
    const { outputs } = parseFunction('f() returns (uint256[][][])');
    const words = 500;
    const word = (value: number): string => value.toString(16).padStart(64, '0');
    // Each of the outer lists' 500 offsets leads back to a list of 500 offsets.
    const loop = `${word(32)}${word(words)}${word(0).repeat(words)}`;
    const back = Buffer.from(loop, 'hex');
    for (let i = 0; i < words; i++) back.write(word(words), 64 + 32 * i, 'hex');
    expect(() => decodeValues(outputs, back)).toThrow(MalformedAnswer);
  });

  it.each([
    ['a length beyond all numbers', 'f() returns (bytes)', `${'0'.repeat(62)}20${'f'.repeat(64)}`],
    ['an offset beyond the answer', 'f() returns (bytes)', `${'0'.repeat(60)}ffff`],
    ['a huge count', 'f() returns (uint8[])', `${'0'.repeat(62)}20${'0'.repeat(56)}7fffffff`],
    ['nothing', 'f() returns (uint256)', ''],
    ['a wrong address', 'f() returns (address)', '1'.repeat(64)],
    ['a wrong number', 'f() returns (int8)', `${'0'.repeat(62)}80`],
    ['wrong bytes', 'f() returns (bytes1)', '1'.repeat(64)],
    ['no UTF-8', 'f() returns (string)', `${'0'.repeat(62)}20${'0'.repeat(63)}1ff${'0'.repeat(62)}`],
  ])('are malformed: %s', (_what, signature, data) => {
    const { outputs } = parseFunction(signature);
    expect(() => decodeValues(outputs, Buffer.from(data, 'hex'))).toThrow(MalformedAnswer);
  });

  it('repeat the signature in full, with the selector of its types', () => {
    expect(parseFunction('  function  balanceOf(address who)  external view returns(uint) ')).toMatchObject({
      text: 'balanceOf(address who) view returns (uint256)',
      selector: '0x70a08231',
    });
  });
});

describe('a revert', () => {
  const coder = AbiCoder.defaultAbiCoder();
  const bytes = (selector: string, type: string, value: unknown): Buffer =>
    Buffer.from(selector + coder.encode([type], [value]).slice(2), 'hex');

  it.each([
    ['Error(string)', bytes('08c379a0', 'string', 'not enough'), 'not enough'],
    ['Panic(uint256)', bytes('4e487b71', 'uint256', 0x12), 'Panic(0x12): a division by zero'],
    ['an unknown panic', bytes('4e487b71', 'uint256', 2n ** 255n), /^Panic\(0x80{63}\): an unknown panic$/],
    ['a custom error', bytes('deadbeef', 'uint256', 1), null],
    ['nothing', Buffer.alloc(0), null],
    ['a broken Error(string)', bytes('08c379a0', 'uint256', 77), null],
  ])('with %s', (_what, data, reason) => {
    expect(readRevert(data)).toEqual({
      reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason,
      data: `0x${data.toString('hex')}`,
    });
  });
});
