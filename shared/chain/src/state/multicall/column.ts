/**
 * A column: one question about many accounts, whose answers are numbers. It is written, sent and read as the items that it
 * stands for, but no object and no text is made for each of them: a snapshot has a million.
 */
import { wordToBigInt } from '../../rpc/hex.ts';
import type { ProgramHead } from '../../rpc/program.ts';
import {
  bytesReturned,
  bytesTaken,
  encodeItems,
  repeatedFlags,
  ResultReader,
  type CallItem,
  type MulticallBytes,
  type MulticallResult,
  type WeiItem,
} from './multicall.ts';

export interface Column {
  /** The question about one account: a call whose data end in it, and have nothing else of it; or its wei. */
  readonly of: (account: string) => CallItem | WeiItem;
  /** 0x and 40 hex digits each; at least one. */
  readonly accounts: readonly string[];
}

/** A number; or the end of a call without one: with its gas used up, or with gas left. */
export type ColumnValue = bigint | 'burnt' | 'reverted';

/** The answer to a column: the block it ran in, and a value for each account; `starved` as in a `CallResult`. */
export interface ColumnAnswer extends ProgramHead {
  readonly values: readonly (ColumnValue | 'starved')[];
  /** Gas that the calls used. */
  readonly burned: number;
}

/** A call that ends with this part of its gas used has used it up: a write in a shared call burns all of its gas. */
const BURNT = 0.9;

export function itemsOf({ of, accounts }: Column): readonly (CallItem | WeiItem)[] {
  return accounts.map(of);
}

/** Bytes of a column's first item and of each other one in a multicall, and of the answer to each. */
export function columnBytes(first: CallItem | WeiItem): MulticallBytes & { readonly repeated: number } {
  return {
    taken: bytesTaken([first]),
    repeated: bytesTaken([first], first),
    returned: bytesReturned([first]),
  };
}

/** A column as `encodeItems` writes its items, and the bytes of their answers at the most. */
export function encodeColumn({ of, accounts }: Column): {
  readonly input: string;
  readonly returned: number;
} {
  const item = of(accounts[0] ?? '');
  const flags = repeatedFlags(item);
  let input = encodeItems([item]);
  for (let at = 1; at < accounts.length; at++) input += flags + accounts[at]!.slice(2);
  return { input, returned: accounts.length * bytesReturned([item]) };
}

/** Reads the answer to a column. @throws {TypeError} as `decodeMulticall` */
export function decodeColumn(answer: unknown, { of, accounts }: Column): ColumnAnswer {
  const reader = new ResultReader(answer);
  const item = of(accounts[0] ?? '');
  const gas = item.kind === 'call' ? item.gas : Infinity;
  const values = Array<ColumnValue | 'starved'>(accounts.length);
  let burned = 0;
  for (let at = 0; at < accounts.length; at++) {
    const isCall = reader.next(item);
    const { status, gasUsed, from, end } = reader;
    if (isCall) {
      if (status === undefined) throw new TypeError('the multicall returned an unknown status');
      burned += gasUsed;
    }
    if (status === 'starved') values[at] = status;
    else if (!isCall || (status === 'ok' && end - from >= 32)) values[at] = wordToBigInt(reader.bytes, from);
    else values[at] = failure(status, gasUsed, gas);
  }
  reader.close();
  return { ...reader.head, values, burned };
}

/** The value of a result that was asked for outside of a column. @param item the one that it answers */
export function valueOf(result: MulticallResult, item: CallItem | WeiItem): ColumnValue {
  if (result.status === 'wei' || result.status === 'account') return result.wei;
  if (result.status === 'ok' && result.data.length >= 32) return wordToBigInt(result.data);
  return failure(result.status, result.gasUsed, item.kind === 'call' ? item.gas : Infinity);
}

function failure(status: string | undefined, gasUsed: number, gas: number): 'burnt' | 'reverted' {
  return status === 'failed' && gasUsed >= BURNT * gas ? 'burnt' : 'reverted';
}
