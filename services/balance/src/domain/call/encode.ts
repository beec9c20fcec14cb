/** A call's data from arguments as JSON has them: each argument that does not fit its type is named. Pure. */
import { getAddress } from 'ethers/address';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { isDynamic, wordsOf, type AbiFunction, type AbiParam, type AbiType } from './abi-type.ts';

/** More arguments do not fit into a shared call. */
const MAX_DATA_BYTES = 4_096;
const DIGITS = 64;

/**
 * The data of a call.
 * @param at where the arguments stand in the request: `args[3]`
 * @throws {ApiError} 400 that names the argument
 */
export function encodeCall({ selector, inputs }: AbiFunction, args: readonly unknown[], at: string): string {
  if (args.length !== inputs.length) {
    const expected = inputs.length === 1 ? '1 argument' : `${inputs.length} arguments`;
    throw badRequest(
      `${at}: expected ${expected} (${inputs.map(({ text }) => text).join(',')}), not ${args.length}`,
    );
  }
  const data = selector + encodeList(inputs, args, (i) => `${at}[${i}]`);
  if (data.length / 2 - 1 > MAX_DATA_BYTES) {
    throw badRequest(`${at}: its arguments take more than ${MAX_DATA_BYTES} bytes`, 'invalid_arguments');
  }
  return data;
}

function encodeList(
  params: readonly Pick<AbiParam, 'type'>[],
  values: readonly unknown[],
  nameOf: (i: number) => string,
): string {
  let offset = params.reduce((sum, { type }) => sum + 32 * wordsOf(type), 0);
  let head = '';
  let tail = '';
  params.forEach(({ type }, i) => {
    const encoded = encodeValue(type, values[i], nameOf(i));
    if (!isDynamic(type)) {
      head += encoded;
      return;
    }
    head += word(BigInt(offset));
    tail += encoded;
    offset += encoded.length / 2;
  });
  return head + tail;
}

function encodeValue(type: AbiType, value: unknown, at: string): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return word(BigInt.asUintN(256, readInteger(type, value, at)));
    case 'address':
      return readAddress(value, at).slice(2).toLowerCase().padStart(DIGITS, '0');
    case 'bool':
      if (typeof value !== 'boolean') throw badRequest(`${at}: expected true or false`, 'invalid_arguments');
      return word(value ? 1n : 0n);
    case 'fixed-bytes':
      return readHex(value, at, type.size).padEnd(DIGITS, '0');
    case 'bytes':
      return withLength(readHex(value, at));
    case 'string':
      return withLength(readText(value, at));
    case 'array':
      return encodeArray(type, value, at);
    case 'tuple':
      return encodeList(type.components, readTuple(type.components, value, at), (i) => {
        const { name = '' } = type.components[i] ?? {};
        return name === '' ? `${at}[${i}]` : `${at}.${name}`;
      });
  }
}

function readInteger(
  { kind, bits }: { kind: 'uint' | 'int'; bits: number },
  value: unknown,
  at: string,
): bigint {
  const type = `${kind}${bits}`;
  const isText = typeof value === 'string' && value.length <= 80 && /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value);
  if (!isText && !Number.isSafeInteger(value)) {
    throw badRequest(
      `${at}: expected a ${type} as a string of decimal digits, or of 0x and hexadecimal digits`,
    );
  }
  const number = BigInt(value as string | number);
  const [least, most] =
    kind === 'uint'
      ? [0n, 2n ** BigInt(bits) - 1n]
      : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
  if (number < least || number > most)
    throw badRequest(`${at}: ${number} is no ${type}; expected ${least} to ${most}`, 'invalid_arguments');
  return number;
}

function readAddress(value: unknown, at: string): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    throw badRequest(
      `${at}: expected an address as a string of 0x and 40 hexadecimal digits`,
      'invalid_arguments',
    );
  }
  const isMixed = /[a-f]/.test(value) && /[A-F]/.test(value);
  if (isMixed && getAddress(value.toLowerCase()) !== value) {
    throw badRequest(`${at}: its checksum (EIP-55) is wrong, so it may have a typo`, 'invalid_arguments');
  }
  return value;
}

/** @param size how many bytes it must have; any number where none is given */
function readHex(value: unknown, at: string, size?: number): string {
  if (typeof value === 'string' && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)) {
    if (size === undefined || value.length === 2 + 2 * size) return value.slice(2).toLowerCase();
  }
  const what = size === undefined ? 'whole bytes' : `${size} bytes`;
  throw badRequest(`${at}: expected ${what} as a string of 0x and hexadecimal digits`, 'invalid_arguments');
}

function readText(value: unknown, at: string): string {
  if (typeof value !== 'string' || !value.isWellFormed())
    throw badRequest(`${at}: expected a string`, 'invalid_arguments');
  return Buffer.from(value, 'utf8').toString('hex');
}

function encodeArray(
  { of, length }: Extract<AbiType, { kind: 'array' }>,
  value: unknown,
  at: string,
): string {
  if (!Array.isArray(value)) throw badRequest(`${at}: expected a list`, 'invalid_arguments');
  if (length !== null && value.length !== length) {
    throw badRequest(`${at}: expected a list of ${length}, not ${value.length}`, 'invalid_arguments');
  }
  const elements = encodeList(
    value.map(() => ({ type: of })),
    value,
    (i) => `${at}[${i}]`,
  );
  return length === null ? word(BigInt(value.length)) + elements : elements;
}

/** A tuple is a list, or an object with the components' names. */
function readTuple(components: readonly AbiParam[], value: unknown, at: string): readonly unknown[] {
  if (Array.isArray(value)) {
    if (value.length === components.length) return value;
    throw badRequest(
      `${at}: expected ${components.length} components, not ${value.length}`,
      'invalid_arguments',
    );
  }
  const names = components.map(({ name }) => name);
  const areNames = !names.includes('') && new Set(names).size === names.length;
  if (typeof value !== 'object' || value === null || !areNames) {
    throw badRequest(`${at}: expected a list of ${components.length} components`, 'invalid_arguments');
  }
  const given = Object.keys(value);
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw badRequest(
      `${at}: unknown component ${unknown.slice(0, 60)}; expected ${names.join(', ')}`,
      'invalid_arguments',
    );
  }
  return names.map((name) => {
    if (!given.includes(name)) throw badRequest(`${at}.${name}: it is missing`, 'invalid_arguments');
    return (value as Record<string, unknown>)[name];
  });
}

function withLength(hex: string): string {
  return word(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / DIGITS) * DIGITS, '0');
}

function word(value: bigint): string {
  return value.toString(16).padStart(DIGITS, '0');
}
