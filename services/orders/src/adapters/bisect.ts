/**
 * Bisects for several facts at once: each became true in some block, and has been true since. The searches go step by step
 * together, so that they can share requests. Pure.
 */

/** A fact is not true yet by the block `low`, and true by the block `high`. */
export interface BlockRange {
  readonly low: number;
  readonly high: number;
}

export interface Look {
  /** Position among the ranges. */
  readonly at: number;
  readonly height: number;
}

/** Blocks that one search looks at in a step: an eighth of its range is left. */
const PROBES = 7;
/** Blocks that all searches look at in a step, if there are no more searches than that. */
const PROBES_AT_ONCE = 500;

/**
 * Narrows each range to two neighbouring blocks.
 * @param ranges undefined ones stay undefined
 * @param look answers for each whether the fact is true by that block; undefined where that is not known
 * @returns undefined for a range where that was not known of a block that decides
 */
export async function bisect(
  ranges: readonly (BlockRange | undefined)[],
  look: (looks: readonly Look[]) => Promise<readonly (boolean | undefined)[]>,
): Promise<readonly (BlockRange | undefined)[]> {
  const narrow = [...ranges];
  for (;;) {
    const open = [...narrow.entries()].filter((entry): entry is [number, BlockRange] => isWide(entry[1]));
    if (open.length === 0) return narrow;
    const distinct = new Set(open.map(([, { low, high }]) => `${low} ${high}`)).size;
    const most = Math.max(1, Math.min(PROBES, Math.floor(PROBES_AT_ONCE / distinct)));
    const asked = open.map(([, range]) => probes(range, most));
    const looks = open.flatMap(([at], i) => asked[i]!.map((height) => ({ at, height })));
    const answers = await look(looks);
    let next = 0;
    for (const [i, [at, range]] of open.entries()) {
      const heights = asked[i]!;
      narrow[at] = narrowed(range, heights, answers.slice(next, (next += heights.length)));
    }
  }
}

function isWide(range: BlockRange | undefined): boolean {
  return range !== undefined && range.high - range.low > 1;
}

/** Heights within a range, spread evenly. */
function probes({ low, high }: BlockRange, most: number): readonly number[] {
  const count = Math.min(most, high - low - 1);
  const step = (high - low) / (count + 1);
  return Array.from({ length: count }, (_, i) => low + Math.round(step * (i + 1)));
}

function narrowed(
  { low, high }: BlockRange,
  heights: readonly number[],
  answers: readonly (boolean | undefined)[],
): BlockRange | undefined {
  const first = answers.indexOf(true);
  const before = first < 0 ? heights.length - 1 : first - 1;
  if (before >= 0 && answers[before] === undefined) return undefined;
  return { low: heights[before] ?? low, high: heights[first] ?? high };
}
