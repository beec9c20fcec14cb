/** When blocks are: mainnet's 12-second slots, some of them missed. */
import { CHAIN } from './world.ts';

const SLOT_SECONDS = 12;

/** Offset of a block from genesis → number of slots missed right before it. */
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
  const offset = block - CHAIN.genesis;
  let slots = offset;
  for (const [before, missed] of MISSED) if (before <= offset) slots += missed;
  return CHAIN.genesisTime + SLOT_SECONDS * slots;
}
