/** Values from ABI-encoded bytes. The cost of reading is bounded by their length, whatever they say. Pure. */
import { Fault } from '@hindsight/kernel/errors.ts';
import { toChecksum } from '../address.ts';
import { isDynamic, wordsOf, type AbiParam, type AbiType } from './types.ts';

/** Integers, truth values, addresses (EIP-55), text, bytes (hexadecimal with 0x), and lists of these for arrays and tuples. */
export type AbiValue = bigint | string | boolean | readonly AbiValue[];

/** The bytes do not have the declared types. */
export class MalformedEncoding extends Fault {}

const WORD = 32;
/** Encodings may share data, but only this often, so that a short one never expands to a long list of values. */
const READ_TIMES = 2;

/** Reads values as contracts return them: in any encoding that Solidity's decoder takes. @throws {MalformedEncoding} */
export function decodeValues(params: readonly AbiParam[], data: Buffer): readonly AbiValue[] {
  return new Decoder(data, false).list(typesOf(params), 0);
}

/**
 * Reads values from their canonical encoding only: each dynamic part comes right after the one before, nothing is shared
 * or left over, and padding is zero. So the same values have no second encoding.
 * @throws {MalformedEncoding}
 */
export function decodeCanonical(params: readonly AbiParam[], data: Buffer): readonly AbiValue[] {
  const decoder = new Decoder(data, true);
  const values = decoder.list(typesOf(params), 0);
  if (decoder.end !== data.length) throw new MalformedEncoding('bytes follow it');
  return values;
}

function typesOf(params: readonly AbiParam[]): readonly AbiType[] {
  return params.map(({ type }) => type);
}

/** Positions are bytes. */
class Decoder {
  readonly #data: Buffer;
  readonly #isCanonical: boolean;
  /** Bytes that may still be read. */
  #left: number;
  /** End of the last list or data read. */
  end = 0;

  constructor(data: Buffer, isCanonical: boolean) {
    this.#data = data;
    this.#isCanonical = isCanonical;
    this.#left = READ_TIMES * data.length;
  }

  /** Values that were encoded together at `base`. */
  list(types: readonly AbiType[], base: number): AbiValue[] {
    let head = base;
    let tail = base + types.reduce((sum, type) => sum + WORD * wordsOf(type), 0);
    const values = types.map((type) => {
      const at = head;
      head += WORD * wordsOf(type);
      if (!isDynamic(type)) return this.#value(type, at);
      const start = base + this.#length(at);
      if (this.#isCanonical && start !== tail)
        throw new MalformedEncoding(`the data of the value at byte ${at} is not in its place`);
      const value = this.#value(type, start);
      tail = this.end;
      return value;
    });
    this.end = tail;
    return values;
  }

  /** A value with its data at a position. */
  #value(type: AbiType, at: number): AbiValue {
    switch (type.kind) {
      case 'uint':
      case 'int':
        return this.#integer(type, at);
      case 'address': {
        const word = this.#read(at, WORD);
        if (!isZero(word.subarray(0, 12)))
          throw new MalformedEncoding(`the word at byte ${at} is no address`);
        return toChecksum(`0x${word.toString('hex', 12)}`);
      }
      case 'bool': {
        const value = this.#number(at);
        if (value > 1n) throw new MalformedEncoding(`the word at byte ${at} is no bool`);
        return value === 1n;
      }
      case 'fixed-bytes': {
        const word = this.#read(at, WORD);
        if (!isZero(word.subarray(type.size)))
          throw new MalformedEncoding(`the word at byte ${at} is no bytes${type.size}`);
        return `0x${word.toString('hex', 0, type.size)}`;
      }
      case 'bytes':
        return `0x${this.#bytes(at).toString('hex')}`;
      case 'string':
        return decodeText(this.#bytes(at), at);
      case 'array': {
        const count = type.length ?? this.#length(at);
        const elements = type.length === null ? at + WORD : at;
        // Before a list of that length is made.
        if (elements + count * WORD * wordsOf(type.of) > this.#data.length) throw tooShort();
        return this.list(Array<AbiType>(count).fill(type.of), elements);
      }
      case 'tuple':
        return this.list(
          type.components.map((component) => component.type),
          at,
        );
    }
  }

  #integer({ kind, bits }: { kind: 'uint' | 'int'; bits: number }, at: number): bigint {
    const value = this.#number(at);
    const read = kind === 'uint' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
    if (BigInt.asUintN(256, read) !== value)
      throw new MalformedEncoding(`the word at byte ${at} is no ${kind}${bits}`);
    return read;
  }

  #bytes(at: number): Buffer {
    const length = this.#length(at);
    if (!this.#isCanonical) return this.#read(at + WORD, length);
    const padded = this.#read(at + WORD, WORD * Math.ceil(length / WORD));
    if (!isZero(padded.subarray(length)))
      throw new MalformedEncoding(`the padding at byte ${at} is not zero`);
    this.end = at + WORD + padded.length;
    return padded.subarray(0, length);
  }

  /** A length or an offset; none is larger than the whole. */
  #length(at: number): number {
    const value = this.#number(at);
    if (value > BigInt(this.#data.length)) throw tooShort();
    return Number(value);
  }

  #number(at: number): bigint {
    return BigInt(`0x${this.#read(at, WORD).toString('hex')}`);
  }

  #read(at: number, size: number): Buffer {
    if (at + size > this.#data.length) throw tooShort();
    this.#left -= Math.max(size, WORD);
    if (this.#left < 0) throw new MalformedEncoding('its parts overlap');
    return this.#data.subarray(at, at + size);
  }
}

function tooShort(): MalformedEncoding {
  return new MalformedEncoding('it is too short');
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Buffer, at: number): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new MalformedEncoding(`the string at byte ${at} is not UTF-8; declare it as bytes`);
  }
}
