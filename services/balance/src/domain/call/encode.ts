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
const WORD = 32;
/** Digits of a number, decimal or hexadecimal, that is surely a safe integer, with its sign or 0x. */
const SAFE_DIGITS = 15;
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

/** Filled and read without a pause in between, so that one buffer serves all rows. */
const written = Buffer.alloc(MAX_WORDS * WORD);

/** Encodes one row. The path to the current value is kept apart, and becomes text only in a fault. */
class Encoder {
  readonly #at: string;
  readonly #checksums: ChecksumBudget;
  readonly #path: (number | string)[] = [];
  /** Bytes that values have, or that are kept for them. */
  #end = 0;

  constructor(at: string, checksums: ChecksumBudget) {
    this.#at = at;
    this.#checksums = checksums;
  }

  arguments(inputs: readonly AbiParam[], values: readonly unknown[]): string {
    const base = this.#reserve(wordsIn(inputs));
    written.fill(0);
    this.#list((i) => inputs[i]!.type, values, base);
    return written.toString('hex', 0, this.#end);
  }

  /** Takes words at the end. @returns the place of the first */
  #reserve(words: number): number {
    const at = this.#end;
    this.#end += WORD * words;
    if (this.#end <= written.length) return at;
    throw badRequest(
      `${this.#at}: its arguments take more than ${MAX_DATA_BYTES} bytes`,
      'invalid_arguments',
    );
  }

  /** Writes values whose words are reserved from `base` on; offsets count from there. */
  #list(
    typeOf: (i: number) => AbiType,
    values: readonly unknown[],
    base: number,
    keyOf: (i: number) => number | string = (i) => i,
  ): void {
    let at = base;
    for (let i = 0; i < values.length; i++) {
      const type = typeOf(i);
      if (isDynamic(type)) writeNumber(this.#end - base, at);
      this.#path.push(keyOf(i));
      this.#value(type, values[i], at);
      this.#path.pop();
      at += WORD * wordsOf(type);
    }
  }

  /** @param at place of a value of fixed size; any other goes to the end */
  #value(type: AbiType, value: unknown, at: number): void {
    switch (type.kind) {
      case 'uint':
      case 'int':
        return this.#integer(type, value, at);
      case 'address':
        written.write(this.#address(value).slice(2), at + 12, 'hex');
        return;
      case 'bool':
        if (typeof value !== 'boolean') throw this.#fault('expected true or false');
        return writeNumber(value ? 1 : 0, at);
      case 'fixed-bytes':
        written.write(this.#hex(value, type.size), at, 'hex');
        return;
      case 'bytes':
        return this.#withLength(value, 'hex');
      case 'string':
        return this.#withLength(value, 'utf8');
      case 'array':
        return this.#array(type, value, at);
      case 'tuple':
        return this.#tuple(type, value, at);
    }
  }

  #integer({ kind, bits }: { kind: 'uint' | 'int'; bits: number }, value: unknown, at: number): void {
    const isText = typeof value === 'string' && value.length <= 80 && /^(-?\d+|0x[0-9a-fA-F]+)$/.test(value);
    const isWhole = Number.isSafeInteger(value);
    // Most numbers are small, and big ones are twenty times as dear.
    const small = isWhole || (isText && value.length <= SAFE_DIGITS) ? Number(value) : -1;
    if (small >= 0 && bits > 53) return writeNumber(small, at);
    const type = `${kind}${bits}`;
    if (!isText && !isWhole)
      throw this.#fault(`expected a ${type} as a string of decimal digits, or of 0x and hexadecimal digits`);
    const number = BigInt(value as string | number);
    const [least, most] =
      kind === 'uint'
        ? [0n, 2n ** BigInt(bits) - 1n]
        : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n];
    if (number < least || number > most)
      throw this.#fault(`${number} is no ${type}; expected ${least} to ${most}`);
    const digits = BigInt.asUintN(256, number).toString(16);
    written.write(digits.padStart(2 * WORD, '0'), at, 'hex');
  }

  #address(value: unknown): string {
    if (typeof value !== 'string' || value.length !== 42 || !/^0x[0-9a-fA-F]{40}$/.test(value))
      throw this.#fault(
        'expected an address as a string of 0x and 40 hexadecimal digits; names are not resolved here',
      );
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
    if (typeof value === 'string' && fits && /^0x(?:[0-9a-fA-F]{2})*$/.test(value)) return value.slice(2);
    const what = size === undefined ? 'whole bytes' : `${size} bytes`;
    throw this.#fault(`expected ${what} as a string of 0x and hexadecimal digits`);
  }

  #withLength(value: unknown, encoding: 'hex' | 'utf8'): void {
    const isHex = encoding === 'hex';
    const size = typeof value === 'string' ? Buffer.byteLength(value) : 0;
    const bytes = isHex ? Math.floor(size / 2) - 1 : size;
    const at = this.#reserve(1 + Math.ceil(Math.max(0, bytes) / WORD));
    const text = isHex ? this.#hex(value) : this.#text(value);
    writeNumber(bytes, at);
    written.write(text, at + WORD, encoding);
  }

  #text(value: unknown): string {
    if (typeof value === 'string' && value.isWellFormed()) return value;
    throw this.#fault('expected a string');
  }

  #array(type: Extract<AbiType, { kind: 'array' }>, value: unknown, at: number): void {
    const { of, length } = type;
    if (!Array.isArray(value)) throw this.#fault('expected a list');
    if (length !== null && value.length !== length)
      throw this.#fault(`expected a list of ${length}, not ${value.length}`);
    let base = at;
    if (length === null) writeNumber(value.length, this.#reserve(1));
    // A list of fixed size is among the words of what it stands in.
    if (isDynamic(type)) base = this.#reserve(value.length * wordsOf(of));
    this.#list(() => of, value, base);
  }

  /** A tuple is a list, or an object with the components' names. */
  #tuple(type: Extract<AbiType, { kind: 'tuple' }>, value: unknown, at: number): void {
    const { components } = type;
    const base = isDynamic(type) ? this.#reserve(wordsIn(components)) : at;
    const values = this.#components(components, value);
    this.#list(
      (i) => components[i]!.type,
      values,
      base,
      (i) => components[i]!.name || i,
    );
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

  #fault(message: string): Error {
    const path = this.#path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
    return badRequest(`${this.#at}${path.join('')}: ${message}`, 'invalid_arguments');
  }
}

/** The words that a list of values takes before the data of its dynamic ones. */
function wordsIn(params: readonly Pick<AbiParam, 'type'>[]): number {
  return params.reduce((sum, { type }) => sum + wordsOf(type), 0);
}

/** @param value a safe integer, not below zero */
function writeNumber(value: number, at: number): void {
  written.writeUIntBE(value % 2 ** 32, at + 28, 4);
  if (value >= 2 ** 32) written.writeUIntBE(Math.floor(value / 2 ** 32), at + 24, 4);
}
