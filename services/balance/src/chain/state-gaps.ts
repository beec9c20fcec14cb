/** Finds the blocks in which a balance changed without an event, between two blocks with different balances. */
import type { Block } from '@hindsight/chain/state/block.ts';
import { gapsIn, widthOf, type GapOf } from './first-gaps.ts';

/** A block and the balance there; null where the token has none. */
export interface Sample {
  readonly block: Block;
  readonly amount: bigint | null;
}

/** Two samples with different balances, and no event between them. */
export type Gap = GapOf<Sample>;

/** Samples that a page has for gaps in which the balance changed once; later gaps are the next page's. */
const PLANNED_SAMPLES = 400;
/** In all. More are needed where it changed more than once in a gap. */
const MAX_SAMPLES = 800;

/** The first gaps, as many as can be searched on a page, and the one that follows them. @param gaps ascending */
export function takeGaps(gaps: readonly Gap[]): { now: readonly Gap[]; later: Gap | undefined } {
  let planned = 0;
  const end = gaps.findIndex((gap, i) => {
    planned += Math.ceil(Math.log2(widthOf(gap)));
    return i > 0 && planned > PLANNED_SAMPLES;
  });
  return end === -1 ? { now: gaps, later: undefined } : { now: gaps.slice(0, end), later: gaps[end] };
}

/**
 * Halves gaps, all of them in turn, until each is a block wide or the bounds are reached.
 * @param deadline by `performance.now()`
 */
export async function narrow(
  gaps: readonly Gap[],
  sample: (heights: readonly number[]) => Promise<readonly Sample[]>,
  deadline: number,
): Promise<{ gaps: readonly Gap[]; isCut: boolean }> {
  const done: Gap[] = gaps.filter(isNarrow);
  let open = gaps.filter((gap) => !isNarrow(gap));
  let left = MAX_SAMPLES;
  while (open.length > 0 && left > 0) {
    if (performance.now() > deadline) return { gaps: [...done, ...open], isCut: true };
    const halved = open.slice(0, left);
    const middles = await sample(
      halved.map(({ low, high }) => Math.floor((low.block.number + high.block.number) / 2)),
    );
    const halves = halved.flatMap(({ low, high }, i) =>
      gapsIn([low, middles[i]!, high]).filter((gap) => !isSame(gap.low, gap.high)),
    );
    left -= halved.length;
    done.push(...halves.filter(isNarrow));
    open = [...open.slice(halved.length), ...halves.filter((gap) => !isNarrow(gap))];
  }
  return { gaps: [...done, ...open], isCut: false };
}

/** A balance that cannot be read is none: the token had no implementation yet, say. */
export function isSame(one: Sample, other: Sample): boolean {
  return (one.amount ?? 0n) === (other.amount ?? 0n);
}

function isNarrow(gap: Gap): boolean {
  return widthOf(gap) === 1;
}
