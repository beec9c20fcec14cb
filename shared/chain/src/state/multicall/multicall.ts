/** Many calls in one `eth_call`, all at one block, with that block's identity in the answer; see multicall.yul. */
import type { Network } from '../../networks.ts';
import { dataToBytes, wordToBigInt } from '../../rpc/hex.ts';
import type { RpcCall } from '../../rpc/node.ts';
import {
  HEAD_BYTES,
  readProgramHead,
  type Program,
  type ProgramHead,
  type ProgramRoom,
} from '../../rpc/program.ts';
import { ARBSYS_MULTICALL } from './arbsys-program.ts';
import { MULTICALL } from './program.ts';

export interface CallItem {
  readonly kind: 'call';
  /** 0x and 40 hex digits. */
  readonly target: string;
  /** 0x and the call's data. */
  readonly data: string;
  /** Gas cap of this call. Running out fails this call only. */
  readonly gas: number;
  /** Longest part of the answer to keep, in bytes; at most 65,535. */
  readonly maxBytes: number;
  /** Runs the call as a plain eth_call would (it may change state) and not as a STATICCALL. */
  readonly plain?: boolean;
  /** Tries the call with all remaining gas if that is less than `gas`; it has `starved` if it then fails. */
  readonly orLess?: boolean;
  /**
   * Calls the address that the item before this one returned, and not `target`; without such an address there
   * is no answer.
   */
  readonly targetFromPrevious?: boolean;
}

/** A call that keeps one word of its answer, if not told otherwise. */
export function callOf(target: string, data: string, gas: number, maxBytes = 32): CallItem {
  return { kind: 'call', target, data, gas, maxBytes };
}

/** Asks for an account's wei and code size. */
export interface AccountItem {
  readonly kind: 'account';
  readonly target: string;
}

/** Asks for an account's wei alone: 41 bytes of an answer instead of `AccountItem`'s 73. */
export interface WeiItem {
  readonly kind: 'wei';
  readonly target: string;
}

/** Runs another program; only before Byzantium, where the multicall cannot run. */
export interface ProgramItem {
  readonly kind: 'program';
  readonly program: Program;
  /** Hex without 0x. */
  readonly input: string;
  /** Longest part of the answer to keep, in bytes. */
  readonly maxBytes: number;
}

export type MulticallItem = CallItem | AccountItem | WeiItem | ProgramItem;

/** The answer to a `CallItem`, and to any other that is `starved`. */
export interface CallResult {
  /** `starved`: not tried with its cap, because too little gas was left; ask again in a smaller multicall. */
  readonly status: 'ok' | 'failed' | 'starved';
  /** Bytes that the contract returned; may be more than `data` holds. */
  readonly size: number;
  readonly gasUsed: number;
  readonly data: Buffer;
  /** A plain call failed because it used all its gas. */
  readonly outOfGas?: boolean;
}

export interface AccountResult {
  readonly status: 'account';
  readonly wei: bigint;
  readonly codeSize: number;
  /** Only of a plain call. */
  readonly code?: Buffer;
}

export interface WeiResult {
  readonly status: 'wei';
  readonly wei: bigint;
}

/** One answer of a multicall, in the order of the questions. */
export type MulticallResult = CallResult | AccountResult | WeiResult;

/** A multicall's answer: the block it ran in, and the results. */
export interface MulticallAnswer extends ProgramHead {
  readonly results: readonly MulticallResult[];
}

/** Bytes of one multicall's items, and of their answers. */
export interface MulticallBytes {
  readonly taken: number;
  readonly returned: number;
}

const FLAGS = { plain: 0x80, targetFromPrevious: 0x40, orLess: 0x20, repeat: 0x10 } as const;
/** By an item's other flags. */
const REPEATED = Array.from({ length: 256 }, (_, flags) => word(flags | FLAGS.repeat, 2));
const MAX_BYTES = 0xffff;
const RESULT_HEAD_BYTES = 9;
const STATUS = ['failed', 'ok', 'starved'] as const;
const ITEM_HEAD_BYTES = 29;
/** A whole item's but for the account: a repeated item has nothing else than those 20 bytes. */
const REPEATED_BYTES = 21;
const ACCOUNT_DIGITS = 40;
const ACCOUNT_BYTES = { account: 64, wei: 32 } as const;

/** The multicall's program on a network, by where a block's height is found in its EVM. */
export function multicallOf({ heightFrom }: Pick<Network, 'heightFrom'>): Program {
  return heightFrom === 'arbsys' ? ARBSYS_MULTICALL : MULTICALL;
}

/** Room in one multicall besides its program and its answer's head. */
export function itemRoom(
  { taken, answered }: Pick<ProgramRoom, 'taken' | 'answered'>,
  program = MULTICALL,
): MulticallBytes {
  return { taken: taken - (program.return.length - 2) / 2 - 2, returned: answered - HEAD_BYTES };
}

/** Bytes of the items in a multicall, and of their answers at the most. */
export function bytesOf(items: readonly MulticallItem[], before?: MulticallItem): MulticallBytes {
  return { taken: bytesTaken(items, before), returned: bytesReturned(items) };
}

/** Bytes of the items in a multicall. @param before the item that they follow */
export function bytesTaken(items: readonly MulticallItem[], before?: MulticallItem): number {
  let taken = 0;
  // By number: questions come by the million, most of one item, for which an iterator would be made each time.
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    const isLike = isRepeated(item, at === 0 ? before : items[at - 1]);
    taken += isLike ? REPEATED_BYTES : ITEM_HEAD_BYTES + callDataBytes(item);
  }
  return taken;
}

/** Bytes of the items' answers at the most. */
export function bytesReturned(items: readonly MulticallItem[]): number {
  return items.reduce((sum, item) => sum + RESULT_HEAD_BYTES + wantedBytes(item), 0);
}

function callDataBytes(item: MulticallItem): number {
  return item.kind === 'call' ? item.data.length / 2 - 1 : 0;
}

function wantedBytes(item: MulticallItem): number {
  return item.kind === 'call' || item.kind === 'program' ? item.maxBytes : ACCOUNT_BYTES[item.kind];
}

/**
 * True if an item is the one before but for the account: that at the end of its data, or its target if it is
 * no call.
 */
function isRepeated(item: MulticallItem, previous: MulticallItem | undefined): boolean {
  if (previous === undefined) return false;
  if (item.kind !== 'call' || previous.kind !== 'call')
    return item.kind !== 'program' && item.kind === previous.kind;
  const length = item.data.length - ACCOUNT_DIGITS;
  return (
    item.target === previous.target &&
    item.gas === previous.gas &&
    item.maxBytes === previous.maxBytes &&
    item.data.length === previous.data.length &&
    length >= 2 &&
    (item.data === previous.data || item.data.startsWith(previous.data.slice(0, length)))
  );
}

/**
 * The `eth_call` of all items.
 * @param block a tag, a quantity, or EIP-1898's object
 * @param how the time of that block, in Unix seconds, and the network's program, see `multicallOf`
 */
export function multicall(
  items: readonly MulticallItem[],
  block: unknown,
  how?: Parameters<typeof multicallRun>[2],
): RpcCall {
  return multicallRun({ input: encodeItems(items), returned: bytesReturned(items) }, block, how);
}

/** The `eth_call` of items that are encoded already. @param encoded hex without 0x, and the bytes of their answers at the most */
export function multicallRun(
  { input, returned }: { readonly input: string; readonly returned: number },
  block: unknown,
  { time, program = MULTICALL }: { readonly time?: number | undefined; readonly program?: Program } = {},
): RpcCall {
  const run = { program, input, mostBytes: HEAD_BYTES + returned, ...(time && { time }) };
  return { method: 'eth_call', params: [{}, block], run };
}

/** The multicall's input: hex without 0x. */
export function encodeItems(items: readonly MulticallItem[]): string {
  let text = '';
  let previous: MulticallItem | undefined;
  for (const item of items) {
    text += isRepeated(item, previous) ? encodeRepeated(item) : encodeItem(item);
    previous = item;
  }
  return text;
}

function encodeItem(item: MulticallItem): string {
  if (item.kind === 'program') throw new TypeError('a program is an eth_call of its own');
  const target = item.target.slice(2);
  if (item.kind !== 'call') return `${word(0, 2)}${target}00000000${word(ACCOUNT_BYTES[item.kind], 4)}0000`;
  if (item.maxBytes > MAX_BYTES)
    throw new RangeError(`a multicall returns at most ${MAX_BYTES} bytes of a call`);
  const data = item.data.slice(2);
  const bounds = word(item.gas, 8) + word(item.maxBytes, 4) + word(data.length / 2, 4);
  return word(flagsOf(item), 2) + target + bounds + data;
}

/** Apart from `encodeItem`: a probe repeats thousands of items, and V8 took 39 ms to compile both as one, 11 ms without. */
function encodeRepeated(item: MulticallItem): string {
  const account = item.kind === 'call' ? item.data : (item as AccountItem | WeiItem).target;
  return repeatedFlags(item) + account.slice(-ACCOUNT_DIGITS);
}

/** The digits before the account of an item that is like the one before it. */
export function repeatedFlags(item: MulticallItem): string {
  return REPEATED[item.kind === 'call' ? flagsOf(item) : 0]!;
}

function flagsOf({ plain, targetFromPrevious, orLess }: CallItem): number {
  return (
    (plain ? FLAGS.plain : 0) |
    (targetFromPrevious ? FLAGS.targetFromPrevious : 0) |
    (orLess ? FLAGS.orLess : 0)
  );
}

function word(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/**
 * Reads a multicall's answer.
 * @throws {TypeError} when it is not an answer to exactly these items (a node that does not run init code).
 */
export function decodeMulticall(answer: unknown, items: readonly MulticallItem[]): MulticallAnswer {
  const reader = new ResultReader(answer);
  const results = items.map((item): MulticallResult => {
    const isCall = reader.next(item);
    const data = reader.bytes.subarray(reader.from, reader.end);
    if (!isCall)
      return item.kind === 'account' ? readAccount(data) : { status: 'wei', wei: wordToBigInt(data) };
    const { status, size, gasUsed } = reader;
    if (status === undefined) throw new TypeError('the multicall returned an unknown status');
    return { status, size, gasUsed, data };
  });
  reader.close();
  return { ...reader.head, results };
}

/** Reads the results of an answer one after another; no object is made for one. */
export class ResultReader {
  readonly head: ProgramHead;
  readonly bytes: Buffer;
  /** Of the result that was read last; undefined if it is none that a program knows. */
  status: CallResult['status'] | undefined;
  size = 0;
  gasUsed = 0;
  /** The places at which its data begin and end. */
  from = HEAD_BYTES;
  end = HEAD_BYTES;

  /** @throws {TypeError} for what is no answer of the program */
  constructor(answer: unknown) {
    this.bytes = dataToBytes(answer);
    this.head = readProgramHead(this.bytes);
  }

  /** Reads the next result, of that item. @returns true for that of a call, or of what starved @throws {TypeError} */
  next(item: MulticallItem): boolean {
    const { bytes, end: begin } = this;
    this.from = begin + RESULT_HEAD_BYTES;
    if (bytes.length < this.from) throw new TypeError('the multicall returned too little');
    this.status = STATUS[bytes[begin] ?? 0];
    this.gasUsed = bytes.readUInt32BE(begin + 1);
    this.size = bytes.readUInt32BE(begin + 5);
    const isCall = item.kind === 'call' || this.status === 'starved';
    this.end = this.from + (isCall ? Math.min(this.size, wantedBytes(item)) : wantedBytes(item));
    if (bytes.length < this.end) throw new TypeError('the multicall returned too little');
    return isCall;
  }

  /** @throws {TypeError} if there is more than what was read */
  close(): void {
    if (this.end !== this.bytes.length) throw new TypeError('the multicall returned too much');
  }
}

function readAccount(data: Buffer): AccountResult {
  return {
    status: 'account',
    wei: wordToBigInt(data),
    codeSize: data.readUInt32BE(60),
  };
}
