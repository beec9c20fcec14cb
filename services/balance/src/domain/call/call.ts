/** Calls of one view with many lists of arguments, at one block: the question, and the record that answers it. */
import { notFound, type ErrorBody } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from '../account.ts';
import {
  pinnedFields,
  type NetworkName,
  type PinnedFields,
  type PinnedReading,
  type When,
} from '../pinned.ts';
import type { AbiFunction } from './abi-type.ts';
import type { AbiValue } from './decode.ts';
import type { Revert } from './revert.ts';

/** Asks for a function's values. */
export interface CallQuestion {
  readonly accounts: { readonly target: AccountRef };
  readonly called: AbiFunction;
  /** The data of each row's call. */
  readonly rows: readonly string[];
  readonly when: When;
}

/** What became of one row. */
export type CallRow =
  { readonly values: readonly AbiValue[] } | { readonly reverted: Revert } | { readonly error: ErrorBody };

/** The rows of a question, at one block. */
export interface CallReading extends PinnedReading {
  /** EIP-55. */
  readonly target: string;
  /** Whether there was code at the target. */
  readonly isContract: boolean;
  readonly called: AbiFunction;
  readonly rows: readonly CallRow[];
}

/** The record of POST …/call. */
export interface CallRecord extends PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly target: string;
  readonly function: string;
  readonly results: readonly CallRow[];
}

/** The record for a reading. @throws {ApiError} 404 where there is no contract at that block */
export function toCallRecord(network: NetworkName, reading: CallReading): CallRecord {
  const { target, isContract, called, rows, block } = reading;
  if (!isContract) {
    const why = isReserved(target)
      ? '; the lowest addresses are those of precompiles, which take bytes and have no functions'
      : '';
    throw notFound('no_contract', `There is no contract at ${target} at block ${block.number}${why}`);
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    target,
    function: called.text,
    ...pinnedFields(block),
    results: rows,
  };
}

/** Whether EIP-1352 reserves an address for precompiles; the zero address is none. */
function isReserved(address: string): boolean {
  const number = BigInt(address);
  return number > 0n && number <= 0xffffn;
}
