/** Types of the contract ABI, as ethers parses them, with bounds. Pure. */
import { Fault } from '@hindsight/kernel/errors.ts';
import type { ParamType } from 'ethers/abi';

export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'fixed-bytes'; readonly size: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'array'; readonly of: AbiType; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly components: readonly AbiParam[] };

/** An argument, a returned value or a tuple's component. */
export interface AbiParam {
  /** Empty where it has none. */
  readonly name: string;
  /** As Solidity writes it: `tuple(address,uint256)[]`. */
  readonly text: string;
  readonly type: AbiType;
}

/** A type that cannot be read, or exceeds a bound. */
export class UnsupportedType extends Fault {}

/** The deepest nesting of arrays and tuples. */
export const MAX_NESTING = 8;
/** Arguments, values and components in all. */
const MAX_PARAMS = 64;

/** Reads types; what one reader reads has its bounds together. */
export class TypeReader {
  #params = 0;

  /** @param depth of the tuple whose components they are @throws {UnsupportedType} */
  params(list: readonly ParamType[], depth = 0): readonly AbiParam[] {
    return list.map((param) => {
      this.#params += 1;
      if (this.#params > MAX_PARAMS)
        throw new UnsupportedType(`it has more than ${MAX_PARAMS} arguments and values`);
      return { name: param.name, text: param.format('sighash'), type: this.#type(param, depth) };
    });
  }

  #type(param: ParamType, depth: number): AbiType {
    if (depth > MAX_NESTING) throw new UnsupportedType(`its types are nested more than ${MAX_NESTING} deep`);
    if (param.isArray()) {
      const length = param.arrayLength === -1 ? null : param.arrayLength;
      if (length === 0) throw new UnsupportedType('an array of length 0 holds nothing');
      return { kind: 'array', of: this.#type(param.arrayChildren, depth + 1), length };
    }
    if (param.isTuple()) {
      if (param.components.length === 0)
        throw new UnsupportedType('a tuple without components holds nothing');
      return { kind: 'tuple', components: this.params(param.components, depth + 1) };
    }
    return basicType(param.baseType);
  }
}

function basicType(name: string): AbiType {
  if (name === 'address' || name === 'bool' || name === 'bytes' || name === 'string') return { kind: name };
  const [, kind, digits] = /^(uint|int|bytes)([1-9]\d{0,2})$/.exec(name) ?? [];
  const size = Number(digits);
  if (kind === 'bytes' && size <= 32) return { kind: 'fixed-bytes', size };
  if ((kind === 'uint' || kind === 'int') && size % 8 === 0 && size <= 256) return { kind, bits: size };
  throw new UnsupportedType(`the type ${name.slice(0, 40)} is not supported`);
}

/** True if a value's place in a list holds only the offset of its data. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'array') return type.length === null || isDynamic(type.of);
  if (type.kind === 'tuple') return type.components.some((component) => isDynamic(component.type));
  return type.kind === 'bytes' || type.kind === 'string';
}

/** The words that a value takes in a list. */
export function wordsOf(type: AbiType): number {
  if (isDynamic(type)) return 1;
  if (type.kind === 'array') return (type.length ?? 0) * wordsOf(type.of);
  return type.kind === 'tuple' ? headWords(type.components) : 1;
}

/**
 * The words of a list of values besides the data of its dynamic values; those count at least their own heads.
 */
export function headWords(params: readonly AbiParam[]): number {
  return params.reduce((sum, { type }) => sum + wordsOf(type) + hiddenWords(type), 0);
}

/** The words of fixed-size arrays with dynamic elements: those are elsewhere, and still bound the work. */
function hiddenWords(type: AbiType): number {
  if (type.kind === 'array' && type.length !== null && isDynamic(type.of)) {
    return type.length * (wordsOf(type.of) + hiddenWords(type.of));
  }
  return type.kind === 'tuple' && isDynamic(type) ? headWords(type.components) : 0;
}
