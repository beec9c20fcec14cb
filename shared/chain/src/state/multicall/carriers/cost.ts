/** The cost of a large question by a carrier: the fewest requests are best, then the fewest bytes. */
import type { ProgramRoom } from '../../../rpc/program.ts';
import { ANSWERED_PER_REQUEST, CALLS_PER_REQUEST } from '../../request-size.ts';
import { itemRoom } from '../multicall.ts';

export interface Cost {
  readonly requests: number;
  /** Of questions and answers, as JSON has them. */
  readonly bytes: number;
}

/** Sizes that a carrier was seen to manage. */
export interface Carried {
  readonly room: Omit<ProgramRoom, 'gas'>;
  /** Characters of a call besides its program. */
  readonly around: number;
  /** Characters of an error's text for each of its data: some nodes repeat the data there. */
  readonly text: number;
}

/** Balances of the question: a window of a snapshot, for which two of the largest calls, in one request, have room. */
const BALANCES = 4_580;
/** Bytes of one balance in a call, and in its answer. */
const BALANCE = { taken: 21, answered: 41 };

/** The cost of a question about thousands of balances. */
export function costOf({ room, around, text }: Carried): Cost {
  const items = itemRoom(room);
  const inCall = Math.floor(Math.min(items.taken / BALANCE.taken, items.returned / BALANCE.answered));
  const calls = Math.ceil(BALANCES / Math.max(1, inCall));
  const inRequest = Math.min(CALLS_PER_REQUEST, Math.floor(ANSWERED_PER_REQUEST / room.answered));
  const taken = calls * (room.taken - items.taken) + BALANCES * BALANCE.taken;
  const answered = calls * (room.answered - items.returned) + BALANCES * BALANCE.answered;
  return {
    requests: Math.ceil(calls / Math.max(1, inRequest)),
    bytes: Math.round(calls * around + 2 * taken + 2 * answered * (1 + text)),
  };
}

/** Sorts the better one first. */
export function compareCosts(one: Cost, other: Cost): number {
  return one.requests - other.requests || one.bytes - other.bytes;
}
