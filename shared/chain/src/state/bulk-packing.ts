/** Packs many questions of one caller into as few multicalls as possible. Pure. */
import type { Block } from './block.ts';
import { columnBytes, type Column } from './multicall/column.ts';
import { bytesReturned, bytesTaken, type MulticallBytes, type MulticallItem } from './multicall/multicall.ts';
import type { StateRoom } from './pinned-state.ts';
import { gasOf, gasPerCall } from './request-size.ts';

/** One of many questions: items that share a call, and their position among the questions. */
export interface BulkQuestion {
  readonly at: number;
  readonly block: Block;
  readonly items: readonly MulticallItem[];
}

/** Questions about one block that share a call. */
export interface BulkCall<Question = BulkQuestion> {
  readonly block: Block;
  readonly questions: readonly Question[];
  /** Room of a call at that block. */
  readonly room: StateRoom;
  /** Its bytes, as a part of the most that a call has room for. */
  readonly size: number;
  /** Its bytes or gas, as a part of the largest call that can run. */
  readonly part: number;
  /** True if the last attempt had no answer in time. */
  readonly late: boolean;
}

/** Packs questions into calls. @param most the largest call, as a part of the largest that can run */
export type Pack<Question> = (
  questions: readonly Question[],
  room: StateRoom,
  most: number,
  late?: boolean,
) => BulkCall<Question>[];

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
  let last: MulticallItem | undefined;
  let [taken, returned, count, cap] = [0, 0, 0, 0];
  const close = (): void => {
    const [first] = packed;
    const { block } = first ?? {};
    if (block)
      calls.push({ block, questions: packed, room, ...partOf({ taken, returned }, count, cap, room), late });
    packed = [];
    last = undefined;
    [taken, returned, count, cap] = [0, 0, 0, 0];
  };
  const [mostTaken, mostReturned] = [most * room.taken, most * room.returned];
  for (const question of questions) {
    const { items } = question;
    const alone = isAlone(items, room);
    const own = capOf(items);
    const answers = bytesReturned(items);
    const fits =
      !alone &&
      packed[0]?.block.hash === question.block.hash &&
      taken + bytesTaken(items, last) <= mostTaken &&
      returned + answers <= mostReturned &&
      (count + items.length) * EXPECTED_GAS <= most * gasFor(room, Math.max(cap, own));
    if (!fits) close();
    taken += bytesTaken(items, last);
    returned += answers;
    count += items.length;
    cap = Math.max(cap, own);
    packed.push(question);
    last = items.at(-1);
    if (alone) close();
  }
  close();
  return calls;
}

/**
 * Packs accounts of a column, by their places, into calls.
 * @param most as for `packCalls`
 */
export function packColumn(
  { block, column }: { readonly block: Block; readonly column: Column },
  places: readonly number[],
  room: StateRoom,
  most: number,
  late = false,
): BulkCall<number>[] {
  const calls: BulkCall<number>[] = [];
  if (places.length === 0) return calls;
  const first = column.of(column.accounts[places[0]!]!);
  const own = columnBytes(first);
  const cap = capOf([first]);
  const fitting = Math.min(
    1 + (most * room.taken - own.taken) / own.repeated,
    (most * room.returned) / own.returned,
    (most * gasFor(room, cap)) / EXPECTED_GAS,
  );
  const count = isAlone([first], room) ? 1 : Math.max(1, Math.floor(fitting));
  for (let from = 0; from < places.length; from += count) {
    const questions = places.slice(from, from + count);
    const taken = own.taken + (questions.length - 1) * own.repeated;
    const bytes = { taken, returned: questions.length * own.returned };
    calls.push({ block, questions, room, ...partOf(bytes, questions.length, cap, room), late });
  }
  return calls;
}

/** The size of a call, and its part of the largest one that can run. */
function partOf({ taken, returned }: MulticallBytes, count: number, cap: number, room: StateRoom) {
  const size = Math.max(taken / room.taken, returned / room.returned);
  return { size, part: Math.min(1, Math.max(size, (count * EXPECTED_GAS) / gasFor(room, cap))) };
}

/** Gas for items of which the last one is tried only where its whole cap is left. */
function gasFor(room: StateRoom, cap: number): number {
  return Math.max(EXPECTED_GAS, EXPECTED_SHARE * room.gas - cap);
}

/** The greatest gas cap among items. */
function capOf(items: readonly MulticallItem[]): number {
  return items.reduce((cap, item) => (item.kind === 'call' ? Math.max(cap, item.gas) : cap), 0);
}

/**
 * Writes would change the results of others; an item that wants most of a call's gas would only starve them.
 */
function isAlone(items: readonly MulticallItem[], room: StateRoom): boolean {
  return gasOf(items) > gasPerCall(room) || items.some(isPlain);
}

function isPlain(item: MulticallItem): boolean {
  return item.kind === 'call' && item.plain === true;
}

/** Packs a call's questions, or the rest of them, into calls of half its questions at the most. */
export function halveCall<Question>(
  call: BulkCall<Question>,
  left: readonly Question[],
  pack: Pack<Question>,
  late = call.late,
): BulkCall<Question>[] {
  const most = Math.ceil(call.questions.length / 2);
  const calls: BulkCall<Question>[] = [];
  for (let from = 0; from < left.length; from += most)
    calls.push(...pack(left.slice(from, from + most), call.room, 1, late));
  return calls;
}
