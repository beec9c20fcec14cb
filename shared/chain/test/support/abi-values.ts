/** Any types of the ABI, with values of them. */
import type { AbiValue } from '@hindsight/chain/abi/decode.ts';
import fc from 'fast-check';

/** A type as Solidity writes it, with its values as decoding gives them. */
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
  value: fc.bigInt(signed ? -(2n ** BigInt(bits - 1)) : 0n, 2n ** BigInt(signed ? bits - 1 : bits) - 1n),
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

/** Up to three types as a signature lists them, and values of them. */
export const typedValues = fc.array(typed, { maxLength: 3 }).chain((list) => {
  const types = list.map(({ type }) => type).join(',');
  return fc.tuple(...list.map(({ value }) => value)).map((values) => ({ types, values }));
});
