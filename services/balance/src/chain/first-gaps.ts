/**
 * Finds the first changes of what is looked at, in order: gaps between samples are split until they are a block wide, the
 * earliest ones first. What a page has no room or no budget for is the next page's, so that each page is exact.
 */
import type { Block } from '@hindsight/chain/state/block.ts';

/** Two samples that differ; something changed after the first and by the second. */
export interface GapOf<L> {
  readonly low: L;
  readonly high: L;
}

export interface Splitting<L> {
  readonly sample: (heights: readonly number[]) => Promise<readonly L[]>;
  readonly isSame: (one: L, other: L) => boolean;
  /** True if a gap of one block is a change to be found. */
  readonly isChange: (gap: GapOf<L>) => boolean;
  /** Most changes to find. */
  readonly limit: number;
  /** Most samples in all. */
  readonly samples: number;
  /** By `performance.now()`. */
  readonly deadline: number;
}

export interface FirstGaps<L> {
  /** A block wide, ascending: all before `rest`. */
  readonly narrow: readonly GapOf<L>[];
  /** The first one that is not. */
  readonly rest: GapOf<L> | undefined;
  /** True if the time ended the search. */
  readonly isCut: boolean;
}

/** Samples at once: as many headers share a request. */
const AT_ONCE = 48;
/** Cuts through one gap at once: more of them take fewer rounds, and more samples for each halving. */
const CUTS = [15, 7, 3, 1] as const;

/** @param gaps ascending, none overlapping */
export async function findFirstGaps<L extends { readonly block: Block }>(
  gaps: readonly GapOf<L>[],
  splitting: Splitting<L>,
): Promise<FirstGaps<L>> {
  const { sample, isSame, isChange, limit, deadline } = splitting;
  const narrow: GapOf<L>[] = [];
  let [open, changes, left] = [[...gaps], 0, splitting.samples];
  for (;;) {
    const wideAt = open.findIndex((gap) => widthOf(gap) > 1);
    const ready = open.splice(0, wideAt === -1 ? open.length : wideAt);
    narrow.push(...ready);
    changes += ready.filter(isChange).length;
    const rest = open[0];
    if (rest === undefined || changes >= limit || left <= 0) return { narrow, rest, isCut: false };
    if (performance.now() > deadline) return { narrow, rest, isCut: true };
    const { wide, cuts } = plan(open, { left, wanted: limit - changes });
    const heights = wide.map((gap) => cutsThrough(gap, cuts));
    const samples = (await sample(heights.flat())).values();
    left -= heights.flat().length;
    const parts = new Map(
      wide.map((gap, i) => [
        gap,
        gapsIn([gap.low, ...heights[i]!.map(() => samples.next().value!), gap.high]).filter(differs),
      ]),
    );
    open = open.flatMap((gap) => parts.get(gap) ?? [gap]);
  }

  function differs({ low, high }: GapOf<L>): boolean {
    return !isSame(low, high);
  }
}

/** As many of the first wide gaps as the samples that are left can end, and as many cuts through each as they allow. */
function plan<L extends { readonly block: Block }>(
  open: readonly GapOf<L>[],
  { left, wanted }: { readonly left: number; readonly wanted: number },
): { readonly wide: readonly GapOf<L>[]; readonly cuts: number } {
  const wide: GapOf<L>[] = [];
  let halvings = 0;
  for (const gap of open) {
    if (widthOf(gap) === 1) continue;
    const more = Math.ceil(Math.log2(widthOf(gap)));
    if (wide.length > 0 && (halvings + more > left || wide.length >= Math.min(wanted, AT_ONCE))) break;
    halvings += more;
    wide.push(gap);
  }
  const cuts = CUTS.find(
    (count) => wide.length * count <= AT_ONCE && halvings * (count / Math.log2(count + 1)) <= left,
  );
  return { wide, cuts: cuts ?? 1 };
}

/** Heights strictly between. */
function cutsThrough<L extends { readonly block: Block }>(gap: GapOf<L>, cuts: number): number[] {
  const parts = Math.min(cuts + 1, widthOf(gap));
  const from = gap.low.block.number;
  return Array.from({ length: parts - 1 }, (_, i) => from + Math.floor(((i + 1) * widthOf(gap)) / parts));
}

/** The gaps between neighbouring samples, which are ascending. */
export function gapsIn<L>(samples: readonly L[]): GapOf<L>[] {
  return samples.slice(1).map((sample, i) => ({ low: samples[i]!, high: sample }));
}

export function widthOf<L extends { readonly block: Block }>({ low, high }: GapOf<L>): number {
  return high.block.number - low.block.number;
}
