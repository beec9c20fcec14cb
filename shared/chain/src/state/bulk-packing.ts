/** How many questions of one caller share as few multicalls as possible. Pure. */
import type { Block } from './block.ts';
import { bytesOf, MULTICALL_ROOM, type MulticallItem } from './multicall/multicall.ts';

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
  /** As a part of the largest call that can run. */
  readonly part: number;
  /** Whether it is asked again after there was no answer in time. */
  readonly late: boolean;
}

/** A question that wants more gas than this shares its call with none. */
const MAX_GAS = 22_000_000;

/** Packs questions in their order into calls; those about one block should follow each other. @param most the largest call, as a part of what can run */
export function packCalls(questions: readonly BulkQuestion[], most: number, late = false): BulkCall[] {
  const calls: BulkCall[] = [];
  let packed: BulkQuestion[] = [];
  let [taken, returned] = [0, 0];
  const close = (): void => {
    const [first] = packed;
    if (first) calls.push({ block: first.block, questions: packed, part: partOf(taken, returned), late });
    packed = [];
    [taken, returned] = [0, 0];
  };
  for (const question of questions) {
    const bytes = bytesOf(question.items);
    const alone = isAlone(question.items);
    const isOther = packed[0]?.block.hash !== question.block.hash;
    if (isOther || alone || partOf(taken + bytes.taken, returned + bytes.returned) > most) close();
    packed.push(question);
    taken += bytes.taken;
    returned += bytes.returned;
    if (alone) close();
  }
  close();
  return calls;
}

function partOf(taken: number, returned: number): number {
  return Math.max(taken / MULTICALL_ROOM.taken, returned / MULTICALL_ROOM.returned);
}

/** What writes would change what others read; what wants most of a call's gas would only starve them. */
function isAlone(items: readonly MulticallItem[]): boolean {
  let gas = 0;
  for (const item of items) {
    if (item.kind !== 'call') continue;
    if (item.plain) return true;
    gas += item.gas;
  }
  return gas > MAX_GAS;
}

/** Packs a call's questions, or those that are left of them, into calls of half its questions at the most. */
export function halveCall(call: BulkCall, left: readonly BulkQuestion[], late = call.late): BulkCall[] {
  const most = Math.ceil(call.questions.length / 2);
  const calls: BulkCall[] = [];
  for (let from = 0; from < left.length; from += most)
    calls.push(...packCalls(left.slice(from, from + most), 1, late));
  return calls;
}
