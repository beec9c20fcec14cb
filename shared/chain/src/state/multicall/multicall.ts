/**
 * Many calls in one `eth_call`, all at one block, with that block's identity in the answer; see multicall.yul.
 *
 * Sizes that bound one multicall: init code of 49,152 bytes (EIP-3860) and, since a node takes what the init code returns
 * for the code of a new contract, 24,576 bytes returned (EIP-170).
 */
import { dataToBytes, wordToBigInt } from '../../rpc/hex.ts';
import { MULTICALL_CODE } from './program.ts';

/** A call of a contract. */
export interface CallItem {
  readonly kind: 'call';
  /** 0x and 40 hex digits. */
  readonly target: string;
  /** 0x and the call's data. */
  readonly data: string;
  /** Gas that this call may burn; what it does with it concerns no other call. */
  readonly gas: number;
  /** How many bytes of the answer are wanted; at most 16,383. */
  readonly maxBytes: number;
  /** Runs the call as a plain eth_call would (it may change state) and not as a STATICCALL. */
  readonly plain?: boolean;
  /** Calls the address that the item before this one returned, and not `target`; no address returned, no answer. */
  readonly targetFromPrevious?: boolean;
}

/** Asks for an account's wei and code size. */
export interface AccountItem {
  readonly kind: 'account';
  readonly target: string;
}

/** Asks for an account's wei alone: 41 bytes of an answer where `AccountItem` takes 73. */
export interface WeiItem {
  readonly kind: 'wei';
  readonly target: string;
}

/** Runs a program of its own, as init code; only before Byzantium, where the multicall cannot run. */
export interface ProgramItem {
  readonly kind: 'program';
  /** 0x and the init code with its input; it returns at least a byte. */
  readonly code: string;
  /** How many bytes of the answer are wanted. */
  readonly maxBytes: number;
}

/** One question of a multicall. */
export type MulticallItem = CallItem | AccountItem | WeiItem | ProgramItem;

/** The answer to a `CallItem`, and to any other that is `starved`. */
export interface CallResult {
  /** `starved`: not tried, because too little gas was left for its cap; ask again in a smaller multicall. */
  readonly status: 'ok' | 'failed' | 'starved';
  /** Bytes that the contract returned; may be more than `data` holds. */
  readonly size: number;
  readonly gasUsed: number;
  readonly data: Buffer;
  /** A plain call failed because it used all its gas. */
  readonly outOfGas?: boolean;
}

/** The answer to a `AccountItem`. */
export interface AccountResult {
  readonly status: 'account';
  readonly wei: bigint;
  readonly codeSize: number;
}

/** The answer to a `WeiItem`. */
export interface WeiResult {
  readonly status: 'wei';
  readonly wei: bigint;
}

/** One answer of a multicall, in the order of the questions. */
export type MulticallResult = CallResult | AccountResult | WeiResult;

/** What a multicall says: the block it ran in, and its answers. */
export interface MulticallAnswer {
  readonly number: number;
  readonly timestamp: number;
  readonly parentHash: string;
  readonly results: readonly MulticallResult[];
}

/** What the items of one multicall may take, and what their answers may. */
export interface MulticallBytes {
  readonly taken: number;
  readonly returned: number;
}

const PLAIN_CALL = 0x8000;
const TARGET_FROM_PREVIOUS = 0x4000;
const MAX_BYTES = 0x3fff;
const HEAD_BYTES = 96;
const RESULT_HEAD_BYTES = 9;
const STATUS = ['failed', 'ok', 'starved'] as const;
const ITEM_HEAD_BYTES = 28;
const ACCOUNT_BYTES = { account: 64, wei: 32 } as const;
const MAX_INIT_CODE = 49_152;
const MAX_CODE = 24_576;

/** What fits into one multicall beside its program and the block's identity. */
export const MULTICALL_ROOM: MulticallBytes = {
  taken: MAX_INIT_CODE - (MULTICALL_CODE.length - 2) / 2,
  returned: MAX_CODE - HEAD_BYTES,
};

/** What the items take of a multicall, and what their answers take at the most. */
export function bytesOf(items: readonly MulticallItem[]): MulticallBytes {
  let taken = 0;
  let returned = 0;
  for (const item of items) {
    taken += ITEM_HEAD_BYTES + (item.kind === 'call' ? item.data.length / 2 - 1 : 0);
    returned += RESULT_HEAD_BYTES + wantedBytes(item);
  }
  return { taken, returned };
}

function wantedBytes(item: MulticallItem): number {
  return item.kind === 'call' || item.kind === 'program' ? item.maxBytes : ACCOUNT_BYTES[item.kind];
}

/** The data of the `eth_call` that asks all items. */
export function encodeMulticall(items: readonly MulticallItem[]): string {
  return items.reduce((text, item) => text + encodeItem(item), MULTICALL_CODE);
}

function encodeItem(item: MulticallItem): string {
  if (item.kind === 'program') throw new TypeError('a program is an eth_call of its own');
  const target = item.target.slice(2);
  if (item.kind !== 'call') return `${target}00000000${word(ACCOUNT_BYTES[item.kind], 4)}0000`;
  if (item.maxBytes > MAX_BYTES)
    throw new RangeError(`a multicall returns at most ${MAX_BYTES} bytes of a call`);
  const data = item.data.slice(2);
  const most =
    item.maxBytes | (item.plain ? PLAIN_CALL : 0) | (item.targetFromPrevious ? TARGET_FROM_PREVIOUS : 0);
  return target + word(item.gas, 8) + word(most, 4) + word(data.length / 2, 4) + data;
}

function word(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/**
 * Reads a multicall's answer.
 * @throws {TypeError} when it is not an answer to exactly these items (a node that does not run init code).
 */
export function decodeMulticall(answer: unknown, items: readonly MulticallItem[]): MulticallAnswer {
  const bytes = dataToBytes(answer);
  if (bytes.length < HEAD_BYTES) throw new TypeError('the multicall returned too little');
  let at = HEAD_BYTES;
  const results = items.map((item): MulticallResult => {
    const head = at;
    if (bytes.length < head + RESULT_HEAD_BYTES) throw new TypeError('the multicall returned too little');
    const status = STATUS[bytes[head] ?? 0];
    const size = bytes.readUInt32BE(head + 5);
    const isCall = item.kind === 'call' || status === 'starved';
    const length = isCall ? Math.min(size, wantedBytes(item)) : wantedBytes(item);
    at += RESULT_HEAD_BYTES + length;
    if (bytes.length < at) throw new TypeError('the multicall returned too little');
    const data = bytes.subarray(head + RESULT_HEAD_BYTES, at);
    if (!isCall)
      return item.kind === 'account' ? readAccount(data) : { status: 'wei', wei: wordToBigInt(data) };
    if (status === undefined) throw new TypeError('the multicall returned an unknown status');
    return { status, size, gasUsed: bytes.readUInt32BE(head + 1), data };
  });
  if (at !== bytes.length) throw new TypeError('the multicall returned too much');
  return {
    number: Number(bytes.readBigUInt64BE(24)),
    timestamp: Number(bytes.readBigUInt64BE(56)),
    parentHash: `0x${bytes.toString('hex', 64, HEAD_BYTES)}`,
    results,
  };
}

function readAccount(data: Buffer): AccountResult {
  return {
    status: 'account',
    wei: wordToBigInt(data),
    codeSize: data.readUInt32BE(60),
  };
}
