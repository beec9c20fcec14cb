/** A function's signature in the caller's spelling, read into types of bounded size. Pure. */
import {
  headWords,
  MAX_NESTING,
  TypeReader,
  UnsupportedType,
  type AbiParam,
} from '@hindsight/chain/abi/types.ts';
import { badRequest, type ApiError } from '@hindsight/kernel/errors.ts';
import { FunctionFragment } from 'ethers/abi';

export interface AbiFunction {
  /** The signature in full, as answers repeat it. */
  readonly text: string;
  /** 0x and 8 hex digits. */
  readonly selector: string;
  readonly inputs: readonly AbiParam[];
  readonly outputs: readonly AbiParam[];
}

export const MAX_SIGNATURE = 1_024;
/** Words that the fixed-size parts of a list of values take: what a call can return. */
const MAX_WORDS = 511;

/** Reads a human-readable signature. @throws {ApiError} 400 that names `function` */
export function parseFunction(text: string): AbiFunction {
  if (text.length > MAX_SIGNATURE)
    throw refused(`it has ${text.length} characters; expected at most ${MAX_SIGNATURE}`);
  // Beforehand, as the parser recurses.
  if (nesting(text) > MAX_NESTING) throw refused(`its types are nested more than ${MAX_NESTING} deep`);
  let fragment: FunctionFragment;
  try {
    fragment = FunctionFragment.from(text.trim());
  } catch {
    throw refused('it cannot be read; expected a signature such as "balanceOf(address) returns (uint256)"');
  }
  const [inputs, outputs] = typesOf(fragment);
  for (const params of [inputs, outputs]) {
    if (headWords(params) > MAX_WORDS)
      throw refused(`its fixed-size values take more than ${MAX_WORDS} words`);
  }
  return {
    text: fragment.format('full').replace(/^function /, ''),
    selector: fragment.selector,
    inputs,
    outputs,
  };
}

function typesOf({ inputs, outputs }: FunctionFragment): [readonly AbiParam[], readonly AbiParam[]] {
  const reader = new TypeReader();
  try {
    return [reader.params(inputs), reader.params(outputs)];
  } catch (error) {
    throw error instanceof UnsupportedType ? refused(error.message) : error;
  }
}

function refused(fault: string): ApiError {
  return badRequest(`function: ${fault}`, 'invalid_function');
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
