/** A function's signature in the caller's spelling, read into types of bounded size. Pure. */
import { FunctionFragment, type ParamType } from 'ethers/abi';
import { badRequest } from '@hindsight/kernel/errors.ts';

/** A type of the contract ABI. */
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

/** A function that can be called. */
export interface AbiFunction {
  /** The signature in full, as answers repeat it. */
  readonly text: string;
  /** 0x and 8 hex digits. */
  readonly selector: string;
  readonly inputs: readonly AbiParam[];
  readonly outputs: readonly AbiParam[];
}

/** The longest signature. */
export const MAX_SIGNATURE = 1_024;
const MAX_NESTING = 8;
/** Arguments, values and components in all. */
const MAX_PARAMS = 64;
/** Words that the fixed-size parts of a list of values take: what a call can return. */
const MAX_WORDS = 511;

const EXPECTED = 'expected a signature such as "balanceOf(address) returns (uint256)"';

/** Reads a human-readable signature. @throws {ApiError} 400 that names `function` */
export function parseFunction(text: string): AbiFunction {
  if (text.length > MAX_SIGNATURE) {
    throw badRequest(
      `function: it has ${text.length} characters; expected at most ${MAX_SIGNATURE}`,
      'invalid_function',
    );
  }
  // Beforehand, as the parser recurses.
  if (nesting(text) > MAX_NESTING)
    throw badRequest(`function: its types are nested more than ${MAX_NESTING} deep`, 'invalid_function');
  let fragment: FunctionFragment;
  try {
    fragment = FunctionFragment.from(text.trim());
  } catch {
    throw badRequest(`function: it cannot be read; ${EXPECTED}`, 'invalid_function');
  }
  const reader = new TypeReader();
  const inputs = reader.params(fragment.inputs);
  const outputs = reader.params(fragment.outputs);
  for (const params of [inputs, outputs]) {
    if (headWords(params) > MAX_WORDS) {
      throw badRequest(
        `function: its fixed-size values take more than ${MAX_WORDS} words`,
        'invalid_function',
      );
    }
  }
  return {
    text: fragment.format('full').replace(/^function /, ''),
    selector: fragment.selector,
    inputs,
    outputs,
  };
}

function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  // The list of arguments itself is a level.
  return deepest - 1;
}

class TypeReader {
  #params = 0;

  params(list: readonly ParamType[]): readonly AbiParam[] {
    return list.map((param) => {
      this.#params += 1;
      if (this.#params > MAX_PARAMS)
        throw badRequest(`function: it has more than ${MAX_PARAMS} arguments and values`, 'invalid_function');
      return { name: param.name, text: param.format('sighash'), type: this.#type(param, 0) };
    });
  }

  #type(param: ParamType, depth: number): AbiType {
    if (depth > MAX_NESTING)
      throw badRequest(`function: its types are nested more than ${MAX_NESTING} deep`, 'invalid_function');
    if (param.isArray()) {
      const length = param.arrayLength === -1 ? null : param.arrayLength;
      if (length === 0) throw badRequest('function: an array of length 0 holds nothing', 'invalid_function');
      return { kind: 'array', of: this.#type(param.arrayChildren, depth + 1), length };
    }
    if (param.isTuple()) {
      if (param.components.length === 0)
        throw badRequest('function: a tuple without components holds nothing', 'invalid_function');
      return { kind: 'tuple', components: this.params(param.components) };
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
  throw badRequest(`function: the type ${name.slice(0, 40)} is not supported`, 'invalid_function');
}

/** True if a value's place in a list holds only the offset of its data. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'bytes':
    case 'string':
      return true;
    case 'array':
      return type.length === null || isDynamic(type.of);
    case 'tuple':
      return type.components.some((component) => isDynamic(component.type));
    case 'uint':
    case 'int':
    case 'fixed-bytes':
    case 'address':
    case 'bool':
      return false;
  }
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
