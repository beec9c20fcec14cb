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
  /** As a part of the largest call that can run. */
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
  let [taken, returned, count] = [0, 0, 0];
  const partWith = (bytes: { taken: number; returned: number }, items: number): number =>
    Math.max(
      (taken + bytes.taken) / room.taken,
      (returned + bytes.returned) / room.returned,
      ((count + items) * EXPECTED_GAS) / (EXPECTED_SHARE * room.gas),
    );
  const close = (): void => {
    const [first] = packed;
    const part = partWith({ taken: 0, returned: 0 }, 0);
    if (first) calls.push({ block: first.block, questions: packed, room, part, late });
    packed = [];
    [taken, returned, count] = [0, 0, 0];
  };
  for (const question of questions) {
    const { items } = question;
    let bytes = bytesOf(items, packed.at(-1)?.items.at(-1));
    const alone = isAlone(items, room);
    const isOther = packed[0]?.block.hash !== question.block.hash;
    if (packed.length > 0 && (isOther || alone || partWith(bytes, items.length) > most)) {
      close();
      bytes = bytesOf(items);
    }
    packed.push(question);
    taken += bytes.taken;
    returned += bytes.returned;
    count += items.length;
    if (alone) close();
  }
  close();
  return calls;
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
