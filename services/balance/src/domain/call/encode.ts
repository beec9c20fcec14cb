/**
 * A call's data from arguments as JSON has them: each argument that does not fit its type is named. Pure.
 * The library's encoder would hash every address for its checksum, and read a list before its size is known.
 */
import { isDynamic, wordsOf, type AbiParam, type AbiType } from '@hindsight/chain/abi/types.ts';
import { toChecksum } from '@hindsight/chain/address.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import type { AbiFunction } from './signature.ts';

/** The words of a row's arguments: with the selector, more do not fit into a shared call. */
export const MAX_WORDS = 127;
const MAX_DATA_BYTES = 4_096;
const DIGITS = 64;
/** Checksums that a request may have verified, each a keccak: for any row, and for many rows. */
const LEAST_CHECKSUMS = 256;
const CHECKSUMS_PER_ROW = 4;

/** Bounds the checksums that one request has verified. */
export class ChecksumBudget {
  #left: number;

  /** @param rows of the request */
  constructor(rows: number) {
    this.#left = Math.max(LEAST_CHECKSUMS, CHECKSUMS_PER_ROW * rows);
  }

  /** @returns false when there is none left */
  take(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}

/**
 * The data of a call. Visits no more values than fit: a list is measured before any of it is read.
 * @param at where the arguments stand in the request: `args[3]`
 * @throws {ApiError} 400 that names the argument
 */
export function encodeCall(
  { selector, inputs }: AbiFunction,
  args: readonly unknown[],
  at: string,
  checksums = new ChecksumBudget(1),
): string {
  if (args.length !== inputs.length) {
    const expected = inputs.length === 1 ? '1 argument' : `${inputs.length} arguments`;
    throw badRequest(
      `${at}: expected ${expected} (${inputs.map(({ text }) => text).join(',')}), not ${args.length}`,
    );
  }
  return selector + new Encoder(at, checksums).arguments(inputs, args);
}

/** Encodes one row. The path to the current value is kept apart, and becomes text only in a fault. */
class Encoder {
  readonly #at: string;
  readonly #checksums: ChecksumBudget;
  readonly #path: (number | string)[] = [];
  #wordsLeft = MAX_WORDS;

  constructor(at: string, checksums: ChecksumBudget) {
    this.#at = at;
    this.#checksums = checksums;
  }

  arguments(inputs: readonly AbiParam[], values: readonly unknown[]): string {
    this.#take(wordsIn(inputs));
    return this.#list(inputs, values, (i) => i);
  }

  /** Encodes values with heads already taken from the budget. */
  #list(
    params: readonly Pick<AbiParam, 'type'>[],
    values: readonly unknown[],
    keyOf: (i: number) => number | string,
  ): string {
    let offset = 32 * wordsIn(params);
    let head = '';
    let tail = '';
    for (const [i, { type }] of params.entries()) {
      this.#path.push(keyOf(i));
      const encoded = this.#value(type, values[i]);
      this.#path.pop();
      if (!isDynamic(type)) {
        head += encoded;
        continue;
      }
      head += word(BigInt(offset));
      tail += encoded;
      offset += encoded.length / 2;
    }
    return head + tail;
  }

  #value(type: AbiType, value: unknown): string {
    switch (type.kind) {
      case 'uint':
      case 'int':
        return word(BigInt.asUintN(256, this.#integer(type, value)));
      case 'address':
        return this.#address(value).slice(2).toLowerCase().padStart(DIGITS, '0');
      case 'bool':
        if (typeof value !== 'boolean') throw this.#fault('expected true or false');
        return word(value ? 1n : 0n);
      case 'fixed-bytes':
        return this.#hex(value, type.size).padEnd(DIGITS, '0');
      case 'bytes':
        return this.#withLength(typeof value === 'string' ? value.length / 2 - 1 : 0, () => this.#hex(value));
      case 'string':
        return this.#withLength(typeof value === 'string' ? value.length : 0, () => this.#text(value));
      case 'array':
        return this.#array(type, value);
      case 'tuple':
        return this.#tuple(type, value);
    }
  }

  #integer({ kind, bits }: { kind: 'uint' | 'int'; bits: number }, value: unknown): bigint {
    const type = `${kind}${bits}`;
    const isText = typeof value === 'string' && value.length <= 80 && /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value);
    if (!isText && !Number.isSafeInteger(value))
      throw this.#fault(`expected a ${type} as a string of decimal digits, or of 0x and hexadecimal digits`);
    const number = BigInt(value as string | number);
    const [least, most] =
      kind === 'uint'
        ? [0n, 2n ** BigInt(bits) - 1n]
        : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
    if (number < least || number > most)
      throw this.#fault(`${number} is no ${type}; expected ${least} to ${most}`);
    return number;
  }

  #address(value: unknown): string {
    if (typeof value !== 'string' || value.length !== 42 || !/^0x[0-9a-fA-F]{40}$/.test(value))
      throw this.#fault('expected an address as a string of 0x and 40 hexadecimal digits');
    const isMixed = /[a-f]/.test(value) && /[A-F]/.test(value);
    if (!isMixed) return value;
    if (!this.#checksums.take())
      throw this.#fault(
        `it is one checksummed address too many: a request may have ${CHECKSUMS_PER_ROW} for each row, and ` +
          `${LEAST_CHECKSUMS} at least; send addresses in lower case`,
      );
    if (toChecksum(value) !== value)
      throw this.#fault('its checksum (EIP-55) is wrong, so it may have a typo');
    return value;
  }

  /** @param size how many bytes it must have; any number where none is given */
  #hex(value: unknown, size?: number): string {
    const fits = size === undefined || (typeof value === 'string' && value.length === 2 + 2 * size);
    if (typeof value === 'string' && fits && /^0x(?:[0-9a-fA-F]{2})*$/.test(value))
      return value.slice(2).toLowerCase();
    const what = size === undefined ? 'whole bytes' : `${size} bytes`;
    throw this.#fault(`expected ${what} as a string of 0x and hexadecimal digits`);
  }

  #text(value: unknown): string {
    if (typeof value !== 'string' || !value.isWellFormed()) throw this.#fault('expected a string');
    return Buffer.from(value, 'utf8').toString('hex');
  }

  /** @param leastBytes what the value has at the least: measured before it is read */
  #withLength(leastBytes: number, read: () => string): string {
    const least = 1 + Math.ceil(leastBytes / 32);
    this.#take(least);
    const hex = read();
    const words = Math.ceil(hex.length / DIGITS);
    this.#take(1 + words - least);
    return word(BigInt(hex.length / 2)) + hex.padEnd(words * DIGITS, '0');
  }

  #array(type: Extract<AbiType, { kind: 'array' }>, value: unknown): string {
    const { of, length } = type;
    if (!Array.isArray(value)) throw this.#fault('expected a list');
    if (length !== null && value.length !== length)
      throw this.#fault(`expected a list of ${length}, not ${value.length}`);
    // A list of fixed size is among the words of what it stands in.
    if (isDynamic(type)) this.#take(value.length * wordsOf(of) + (length === null ? 1 : 0));
    const params = Array.from({ length: value.length }, () => ({ type: of }));
    const elements = this.#list(params, value, (i) => i);
    return length === null ? word(BigInt(value.length)) + elements : elements;
  }

  /** A tuple is a list, or an object with the components' names. */
  #tuple(type: Extract<AbiType, { kind: 'tuple' }>, value: unknown): string {
    const { components } = type;
    if (isDynamic(type)) this.#take(wordsIn(components));
    const values = this.#components(components, value);
    return this.#list(components, values, (i) => components[i]!.name || i);
  }

  #components(components: readonly AbiParam[], value: unknown): readonly unknown[] {
    if (Array.isArray(value)) {
      if (value.length === components.length) return value;
      throw this.#fault(`expected ${components.length} components, not ${value.length}`);
    }
    const names = components.map(({ name }) => name);
    const areNames = !names.includes('') && new Set(names).size === names.length;
    if (typeof value !== 'object' || value === null || !areNames)
      throw this.#fault(`expected a list of ${components.length} components`);
    const given = new Set(Object.keys(value));
    const unknown = [...given].find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw this.#fault(`unknown component ${unknown.slice(0, 60)}; expected ${names.join(', ')}`);
    return names.map((name) => {
      if (given.has(name)) return (value as Record<string, unknown>)[name];
      this.#path.push(name);
      throw this.#fault('it is missing');
    });
  }

  #take(words: number): void {
    this.#wordsLeft -= words;
    if (this.#wordsLeft >= 0) return;
    throw badRequest(
      `${this.#at}: its arguments take more than ${MAX_DATA_BYTES} bytes`,
      'invalid_arguments',
    );
  }

  #fault(message: string): Error {
    const path = this.#path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    return badRequest(`${this.#at}${path.join('')}: ${message}`, 'invalid_arguments');
  }
}

/** The words that a list of values takes before the data of its dynamic ones. */
function wordsIn(params: readonly Pick<AbiParam, 'type'>[]): number {
  return params.reduce((sum, { type }) => sum + wordsOf(type), 0);
}

function word(value: bigint): string {
  return value.toString(16).padStart(DIGITS, '0');
}
