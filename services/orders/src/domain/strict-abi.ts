import type { ParamType } from 'ethers/abi';
import { checksummed } from './keccak.ts';

const WORD = 32;

/** Numbers, addresses (EIP-55), bytes (hexadecimal with 0x), and lists of these for arrays and tuples. */
export type AbiValue = bigint | string | readonly AbiValue[];

/**
 * Reads a value from its canonical encoding only: each dynamic part comes right after the one before, nothing
 * is shared or left over, and padding is zero. So each value has one encoding, and its length bounds the cost
 * of reading it. Offsets that point at the same part again and again, with which a few kilobytes expand to
 * millions of values, are rejected.
 * @param encoded lower-case hexadecimal with 0x
 * @returns undefined for any other encoding
 */
export function readStrictly(type: ParamType, encoded: string): AbiValue | undefined {
  const reader = new Reader(encoded.slice(2));
  try {
    const [value] = reader.sequence([type], 0);
    return reader.isAtEnd ? value : undefined;
  } catch (error) {
    if (error === NOT_CANONICAL) return undefined;
    throw error;
  }
}

const NOT_CANONICAL = new Error('not the canonical encoding');

function check(holds: boolean): void {
  if (!holds) throw NOT_CANONICAL;
}

/** Positions are bytes. */
class Reader {
  readonly #digits: string;
  readonly #length: number;
  /** End of the last part read. */
  #end = 0;

  constructor(digits: string) {
    this.#digits = digits;
    this.#length = digits.length / 2;
  }

  get isAtEnd(): boolean {
    return this.#end === this.#length;
  }

  /** Values that were encoded together at `base`. */
  sequence(types: readonly ParamType[], base: number): AbiValue[] {
    let head = base;
    let tail = base + types.reduce((sum, type) => sum + headSize(type), 0);
    check(tail <= this.#length);
    const values = types.map((type) => {
      const at = head;
      head += headSize(type);
      if (!isDynamic(type)) return this.#fixed(type, at);
      check(this.#number(at) === tail - base);
      const value = this.#dynamic(type, tail);
      tail = this.#end;
      return value;
    });
    this.#end = tail;
    return values;
  }

  #fixed(type: ParamType, at: number): AbiValue {
    if (type.baseType === 'tuple') return this.sequence(type.components ?? [], at);
    const word = this.#slice(at, WORD);
    if (type.baseType === 'uint256') return BigInt(`0x${word}`);
    if (type.baseType === 'int256') return BigInt.asIntN(256, BigInt(`0x${word}`));
    if (type.baseType !== 'address') throw new Error(`no order has a ${type.type}`);
    check(isZero(word.slice(0, 24)));
    return checksummed(`0x${word.slice(24)}`);
  }

  #dynamic(type: ParamType, at: number): AbiValue {
    if (type.baseType === 'tuple') return this.sequence(type.components ?? [], at);
    const length = this.#number(at);
    if (type.baseType === 'bytes') return this.#bytes(at + WORD, length);
    const child = type.arrayChildren;
    if (child === null) throw new Error(`no order has a ${type.type}`);
    // Do not trust the length: there are no more items than room for them.
    check(length * headSize(child) <= this.#length);
    return this.sequence(
      Array.from({ length }, () => child),
      at + WORD,
    );
  }

  #bytes(at: number, length: number): string {
    const padded = Math.ceil(length / WORD) * WORD;
    const digits = this.#slice(at, padded);
    check(isZero(digits.slice(length * 2)));
    this.#end = at + padded;
    return `0x${digits.slice(0, length * 2)}`;
  }

  /** Too large a number is inexact, but it is too large in any case. */
  #number(at: number): number {
    return Number(`0x${this.#slice(at, WORD)}`);
  }

  #slice(at: number, length: number): string {
    check(at + length <= this.#length);
    return this.#digits.slice(at * 2, (at + length) * 2);
  }
}

function isZero(digits: string): boolean {
  return /^0*$/.test(digits);
}

function isDynamic(type: ParamType): boolean {
  if (type.baseType === 'tuple') return (type.components ?? []).some(isDynamic);
  return type.baseType === 'array' || type.baseType === 'bytes';
}

function headSize(type: ParamType): number {
  if (isDynamic(type) || type.baseType !== 'tuple') return WORD;
  return (type.components ?? []).reduce((sum, component) => sum + headSize(component), 0);
}
