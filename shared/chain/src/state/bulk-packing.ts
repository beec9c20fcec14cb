/** Packs many questions of one caller into as few multicalls as possible. Pure. */
import type { Block } from './block.ts';
import { bytesOf, type MulticallItem } from './multicall/multicall.ts';
import type { StateRoom } from './pinned-state.ts';

/** One of many questions: items that share a call, and their position among the questions. */
export interface BulkQuestion {
  readonly at: number;
  readonly block: Block;
  readonly items: readonly MulticallItem[];
}

/** Questions about one block that share a call. */
export interface BulkCall {
  readonly block: Block;
  readonly questions: readonly BulkQuestion[];
  /** Room of a call at that block. */
  readonly room: StateRoom;
  /** Its bytes, as a part of the most that a call has room for. */
  readonly size: number;
  /** Its bytes or gas, as a part of the largest call that can run. */
  readonly part: number;
  /** True if the last attempt had no answer in time. */
  readonly late: boolean;
}

/** A question that wants more gas than this, or than this share of the call's, gets a separate call. */
const MAX_GAS = 22_000_000;
const MAX_GAS_SHARE = 0.7;
/** Gas for a usual token's balance, most of it for a slot that no other balance of the call reads. */
const EXPECTED_GAS = 6_000;
/** Of the gas, what calls may be expected to cost. */
const EXPECTED_SHARE = 0.9;
const NO_BYTES = { taken: 0, returned: 0 };

/**
 * Packs questions in their order into calls; those about one block should follow each other. @param most the
 * largest call, as a part of the largest that can run
 */
export function packCalls(
  questions: readonly BulkQuestion[],
  room: StateRoom,
  most: number,
  late = false,
): BulkCall[] {
  const calls: BulkCall[] = [];
  let packed: BulkQuestion[] = [];
  let last: MulticallItem | undefined;
  let [taken, returned, count, cap] = [0, 0, 0, 0];
  const sizeWith = (bytes: { taken: number; returned: number }): number =>
    Math.max((taken + bytes.taken) / room.taken, (returned + bytes.returned) / room.returned);
  const partWith = (bytes: { taken: number; returned: number }, items: readonly MulticallItem[]): number =>
    Math.max(
      sizeWith(bytes),
      // The last one is tried only where its whole cap is left.
      ((count + items.length) * EXPECTED_GAS) /
        Math.max(EXPECTED_GAS, EXPECTED_SHARE * room.gas - Math.max(cap, capOf(items))),
    );
  const close = (): void => {
    const [first] = packed;
    const [size, part] = [sizeWith(NO_BYTES), Math.min(1, partWith(NO_BYTES, []))];
    if (first) calls.push({ block: first.block, questions: packed, room, size, part, late });
    packed = [];
    last = undefined;
    [taken, returned, count, cap] = [0, 0, 0, 0];
  };
  for (const question of questions) {
    const { items } = question;
    let bytes = bytesOf(items, last);
    const alone = isAlone(items, room);
    const isOther = packed[0]?.block.hash !== question.block.hash;
    if (packed.length > 0 && (isOther || alone || partWith(bytes, items) > most)) {
      close();
      bytes = bytesOf(items);
    }
    packed.push(question);
    last = items.at(-1);
    taken += bytes.taken;
    returned += bytes.returned;
    count += items.length;
    cap = Math.max(cap, capOf(items));
    if (alone) close();
  }
  close();
  return calls;
}

/** The greatest gas cap among items. */
function capOf(items: readonly MulticallItem[]): number {
  let cap = 0;
  for (const item of items) if (item.kind === 'call' && item.gas > cap) cap = item.gas;
  return cap;
}

/**
 * Writes would change the results of others; an item that wants most of a call's gas would only starve them.
 */
function isAlone(items: readonly MulticallItem[], room: StateRoom): boolean {
  let gas = 0;
  for (const item of items) {
    if (item.kind !== 'call') continue;
    if (item.plain) return true;
    gas += item.gas;
  }
  return gas > Math.min(MAX_GAS, MAX_GAS_SHARE * room.gas);
}

/** Packs a call's questions, or the rest of them, into calls of half its questions at the most. */
export function halveCall(call: BulkCall, left: readonly BulkQuestion[], late = call.late): BulkCall[] {
  const most = Math.ceil(call.questions.length / 2);
  const calls: BulkCall[] = [];
  for (let from = 0; from < left.length; from += most)
    calls.push(...packCalls(left.slice(from, from + most), call.room, 1, late));
  return calls;
}
