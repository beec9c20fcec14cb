/**
 * Calls that have failed among others, asked again as a client's `eth_call` asks: its caller and its origin are the zero
 * address, and what it writes is dropped. Some contracts refuse contracts as callers, or write before they answer.
 */
import type { Block } from '@hindsight/chain/state/block.ts';
import type { CallItem, CallResult } from '@hindsight/chain/state/multicall/multicall.ts';
import type { Failed } from '@hindsight/chain/state/pinned-state.ts';
import { READ_GAS } from '@hindsight/chain/tokens/token-facts.ts';
import { partsOf } from '@hindsight/kernel/parts.ts';
import { askTogether } from './outcomes.ts';
import { someOf } from './ranges.ts';

/** Gas for the repetition of a call that wants more than one among many gets. */
export const GAS_AGAIN = 20_000_000;
/** Most reverted rows that are repeated with as much gas; if one of them succeeds, so are all others. */
const MAX_TRIALS = 16;
/** In addition to a row's own gas: a transaction's base cost and its data. */
const INTRINSIC_GAS = 250_000;
/** Rows of a request to the node. */
const ROWS_AT_ONCE = 100;

export type Outcome = CallResult | Failed;

export interface PlacedCall {
  readonly block: Block;
  readonly item: CallItem;
}

export interface TriedCall extends PlacedCall {
  readonly outcome: Outcome;
}

/** Asks calls as plain `eth_call`s, with that much gas each. */
type AskDirectly = (calls: readonly PlacedCall[], gas: number) => Promise<readonly CallResult[]>;

/** True if a call used up its gas. In a shared call that also happens to calls that halt or write. */
export function ranOut({ status, size, gasUsed, outOfGas }: CallResult): boolean {
  return status === 'failed' && (outOfGas === true || (size === 0 && gasUsed >= 0.9 * READ_GAS));
}

/**
 * Asks again what has failed, of several views together: all that got the larger gas and used it up, and some of a view that
 * reverted, from the first to the last, as the contract of a series may change; if one of these answers, the view's others
 * too. What reverts both times keeps the revert that it has in common with the other rows.
 * @returns all calls of each view, in their order
 */
export async function settleDirectly(
  views: readonly (readonly TriedCall[])[],
  ask: AskDirectly,
  signal: AbortSignal,
): Promise<readonly (readonly TriedCall[])[]> {
  const tried = views.flat();
  /** The best that is known of each. */
  const settled = [...tried];
  const askAt = async (places: readonly number[], gas: number): Promise<void> => {
    const calls = places.map((at) => settled[at]!);
    const sent = gas < GAS_AGAIN ? gas + INTRINSIC_GAS : gas;
    const outcomes = await askTogether(calls, (some) => ask(some, sent), signal);
    for (const [i, at] of places.entries()) {
      const { block, item, outcome } = settled[at]!;
      if (!(hasReverted(outcome) && hasReverted(outcomes[i]!)))
        settled[at] = { block, item: { ...item, gas }, outcome: outcomes[i]! };
    }
  };
  const costly = placesOf(tried, ranOut).filter((at) => tried[at]!.item.gas === GAS_AGAIN);
  let end = 0;
  const placed = views.map(({ length }) => ({ from: end, to: (end += length) }));
  const reverted = placesOf(tried, (result) => !ranOut(result));
  const ofViews = placed.map(({ from, to }) => reverted.filter((at) => at >= from && at < to));
  const split = ofViews.map((own) => someOf(own, MAX_TRIALS));
  await askAt([...costly, ...split.flatMap(({ some }) => some)], GAS_AGAIN);
  const isAnswered = (at: number): boolean => settled[at] !== tried[at];
  const rest = split.flatMap(({ some, others }) => (some.some(isAnswered) ? others : []));
  for (const part of partsOf(rest, ROWS_AT_ONCE)) await askAt(part, READ_GAS);
  return placed.map(({ from, to }) => settled.slice(from, to));
}

function placesOf(tried: readonly TriedCall[], fits: (result: CallResult) => boolean): readonly number[] {
  return [...tried.keys()].filter((at) => {
    const { outcome } = tried[at]!;
    return 'status' in outcome && outcome.status === 'failed' && fits(outcome);
  });
}

function hasReverted(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status === 'failed' && !ranOut(outcome);
}
