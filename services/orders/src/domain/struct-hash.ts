/**
 * EIP-712's hash of a struct, for the few types that orders have. The library's own encoder takes ten times as long,
 * because it parses every address again; the tests compare the two.
 */
import { id, TypedDataEncoder, type TypedDataField } from 'ethers/hash';
import { keccakOfHex, wordOf } from './words.ts';

/** Struct types by their names, as ethers takes them. */
export type StructTypes = Record<string, TypedDataField[]>;

/** The hash of a struct, given by its members in their order, as the ABI decodes it: hexadecimal with 0x. */
export type StructHash = (members: readonly unknown[]) => string;

type WordOf = (value: unknown) => string;

const PLAIN = new Set(['address', 'uint256', 'int256']);

/** Prepares the hash of the type that no other one refers to. @throws {Error} for a type that orders do not have */
export function structHash(types: StructTypes): StructHash {
  const hash = hashOf(TypedDataEncoder.getPrimaryType(types), types);
  return (members) => `0x${hash(members)}`;
}

function hashOf(name: string, types: StructTypes): WordOf {
  const encoders = (types[name] ?? []).map(({ type }) => encoderOf(type, types));
  const typeHash = id(TypedDataEncoder.from(types).encodeType(name)).slice(2);
  return (value) => {
    const members = value as readonly unknown[];
    return keccakOfHex(encoders.reduce((words, encode, i) => words + encode(members[i]), typeHash));
  };
}

function encoderOf(type: string, types: StructTypes): WordOf {
  if (type.endsWith('[]')) {
    const encode = encoderOf(type.slice(0, -2), types);
    return (values) => keccakOfHex((values as readonly unknown[]).map(encode).join(''));
  }
  if (type === 'bytes') return (value) => keccakOfHex((value as string).slice(2));
  if (type in types) return hashOf(type, types);
  if (!PLAIN.has(type)) throw new Error(`no order has a ${type}`);
  return (value) => wordOf(value as bigint | string);
}
