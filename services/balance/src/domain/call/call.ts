/** Calls of one view with many lists of arguments, at one block: the outcome of each. */
import type { AbiValue } from '@hindsight/chain/abi/decode.ts';
import { notFound, type ApiError, type ErrorBody } from '@hindsight/kernel/errors.ts';
import type { Revert } from './revert.ts';

/** A value as answers write it: numbers are decimal strings. */
export type CallValue = string | boolean | readonly CallValue[];

export function toAnswer(value: AbiValue): CallValue {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' ? value.map(toAnswer) : value;
}

/** Values that a call returned; `data`, hexadecimal, where the signature declares nothing and so nothing is decoded. */
interface Returned {
  readonly values: CallValue[];
  readonly data?: string;
}

export type CallRow = Returned | { readonly reverted: Revert } | { readonly error: ErrorBody };

/** 404: there is no code at the target. */
export function noContract(target: string, block: number): ApiError {
  const why = isReserved(target)
    ? '; the lowest addresses are those of precompiles, which take bytes and have no functions'
    : '';
  return notFound('no_contract', `There is no contract at ${target} at block ${block}${why}`);
}

/** True if EIP-1352 reserves an address for precompiles; the zero address is none. */
function isReserved(address: string): boolean {
  const number = BigInt(address);
  return number > 0n && number <= 0xffffn;
}
