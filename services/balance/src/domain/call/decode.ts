/** Values from what a contract returned. The cost of reading is bounded by the answer's length, whatever it says. Pure. */
import { getAddress } from 'ethers/address';
import { isDynamic, wordsOf, type AbiParam, type AbiType } from './abi-type.ts';

/** A value as answers write it: numbers and bytes are strings. */
export type AbiValue = string | boolean | readonly AbiValue[];

/** The answer does not have the declared types. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

const WORD = 32;
/** Encodings may share data, but only this often, so that a short answer never expands to a long one. */
const READ_TIMES = 2;

/** Reads values. @throws {MalformedAnswer} */
export function decodeValues(params: readonly AbiParam[], data: Buffer): readonly AbiValue[] {
  return new Decoder(data).list(
    params.map(({ type }) => type),
    0,
  );
}

/** Positions are bytes. */
class Decoder {
  readonly #data: Buffer;
  /** Bytes that may still be read. */
  #left: number;

  constructor(data: Buffer) {
    this.#data = data;
    this.#left = READ_TIMES * data.length;
  }

  /** Values that were encoded together at `base`. */
  list(types: readonly AbiType[], base: number): AbiValue[] {
    let head = base;
    return types.map((type) => {
      const at = head;
      head += WORD * wordsOf(type);
      return this.#value(type, isDynamic(type) ? base + this.#length(at) : at);
    });
  }

  /** A value with its data at a position. */
  #value(type: AbiType, at: number): AbiValue {
    switch (type.kind) {
      case 'uint':
      case 'int':
        return this.#integer(type, at);
      case 'address': {
        const word = this.#read(at, WORD);
        if (!isZero(word.subarray(0, 12))) throw new MalformedAnswer(`the word at byte ${at} is no address`);
        return getAddress(`0x${word.toString('hex', 12)}`);
      }
      case 'bool': {
        const value = this.#number(at);
        if (value > 1n) throw new MalformedAnswer(`the word at byte ${at} is no bool`);
        return value === 1n;
      }
      case 'fixed-bytes': {
        const word = this.#read(at, WORD);
        if (!isZero(word.subarray(type.size)))
          throw new MalformedAnswer(`the word at byte ${at} is no bytes${type.size}`);
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

  #integer({ kind, bits }: { kind: 'uint' | 'int'; bits: number }, at: number): string {
    const value = this.#number(at);
    const read = kind === 'uint' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
    if (BigInt.asUintN(256, read) !== value)
      throw new MalformedAnswer(`the word at byte ${at} is no ${kind}${bits}`);
    return read.toString();
  }

  #bytes(at: number): Buffer {
    return this.#read(at + WORD, this.#length(at));
  }

  /** A length or an offset; none is larger than the answer. */
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
    if (this.#left < 0) throw new MalformedAnswer('its parts overlap');
    return this.#data.subarray(at, at + size);
  }
}

function tooShort(): MalformedAnswer {
  return new MalformedAnswer('it is too short');
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Buffer, at: number): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new MalformedAnswer(`the string at byte ${at} is not UTF-8; declare it as bytes`);
  }
}
