/** When blocks are: a day apart before the story, then mainnet's 12-second slots, some of them missed. */
import { CHAIN } from './world.ts';

const SLOT_SECONDS = 12;
const DAY_SECONDS = 86_400;

/** Offset of a block from the story's beginning → number of slots missed right before it. */
const MISSED = new Map([
  [13, 1],
  [47, 1],
  [88, 2],
  [131, 1],
  [176, 1],
  [203, 3],
  [249, 1],
  [288, 1],
]);

/** The timestamp of a block of the chain, in Unix seconds. */
export function timestampOf(block: number): number {
  const offset = block - CHAIN.story;
  if (offset < 0) return CHAIN.storyTime + DAY_SECONDS * offset;
  let slots = offset;
  for (const [before, missed] of MISSED) if (before <= offset) slots += missed;
  return CHAIN.storyTime + SLOT_SECONDS * slots;
}
