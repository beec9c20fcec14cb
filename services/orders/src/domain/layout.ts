import type { ParamType } from 'ethers';

const WORD = 32;

/**
 * Whether an ABI encoding has its parts where the canonical encoder puts them: each dynamic part right behind the one
 * before, nothing shared, nothing left over. Costs no more than the length says, which decoding does not: offsets that
 * point at the same part again and again make a few kilobytes stand for millions of values.
 * @param encoded hexadecimal with 0x
 */
export function isCanonicalLayout(type: ParamType, encoded: string): boolean {
  const end = new Walk(encoded).sequence([type], 0);
  return end === (encoded.length - 2) / 2;
}

/** Positions are bytes; NaN, which no comparison admits, stands for an encoding that is at fault. */
class Walk {
  readonly #encoded: string;
  readonly #length: number;

  constructor(encoded: string) {
    this.#encoded = encoded;
    this.#length = (encoded.length - 2) / 2;
  }

  /** The end of values that were encoded together at `base`. */
  sequence(types: readonly ParamType[], base: number): number {
    let head = base;
    let tail = base + types.reduce((sum, type) => sum + headSize(type), 0);
    for (const type of types) {
      if (isDynamic(type)) {
        if (this.#number(head) !== tail - base) return NaN;
        tail = this.#end(type, tail);
      }
      head += headSize(type);
    }
    return tail <= this.#length ? tail : NaN;
  }

  /** The end of a dynamic value at `at`. */
  #end(type: ParamType, at: number): number {
    if (type.baseType === 'tuple') return this.sequence(type.components ?? [], at);
    const length = this.#number(at);
    if (type.baseType !== 'array') return at + WORD + Math.ceil(length / WORD) * WORD;
    const child = type.arrayChildren;
    // As many as there is room for, at the most: the length is not to be believed.
    if (child === null || !(length * headSize(child) <= this.#length)) return NaN;
    return this.sequence(
      Array.from({ length }, () => child),
      at + WORD,
    );
  }

  #number(at: number): number {
    if (!(at + WORD <= this.#length)) return NaN;
    return Number(`0x${this.#encoded.slice(2 + at * 2, 2 + (at + WORD) * 2)}`);
  }
}

function isDynamic(type: ParamType): boolean {
  if (type.baseType === 'tuple') return (type.components ?? []).some(isDynamic);
  return type.baseType === 'array' || type.baseType === 'bytes' || type.baseType === 'string';
}

function headSize(type: ParamType): number {
  if (isDynamic(type) || type.baseType !== 'tuple') return WORD;
  return (type.components ?? []).reduce((sum, component) => sum + headSize(component), 0);
}
