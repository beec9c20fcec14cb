/**
 * Finds the addresses that a name meant over a range: it is resolved at some heights; where two neighbours differ, the block at
 * which it moved is searched between them.
 */
import { MAX_MEANINGS } from '@hindsight/api/units.ts';
import type { ResolvedName } from '@hindsight/chain/ens/name-resolver.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { badRequest } from '@hindsight/kernel/errors.ts';
import { findFirstGaps, gapsIn } from './first-gaps.ts';
import { evenly, lastAddress, resolveAll, type RangeDeps, type ResolvedHolder } from './ranges.ts';

/** Heights at which a name is resolved first, both ends of the range included. */
const LOOKS = 16;
/** Most moves within a range: each takes some twenty calls to find. */
const MOST_MOVES = MAX_MEANINGS - 1;
const MOST_SAMPLES = 200;

/** Consecutive blocks at which a name meant one address. */
export interface NameSpan {
  /** EIP-55; null where it had none. */
  readonly address: string | null;
  readonly after: Block;
  readonly through: Block;
}

interface NameSpans {
  /** Ascending; each begins where the one before ends. */
  readonly spans: readonly NameSpan[];
  readonly last: ResolvedHolder;
}

interface NameSample {
  readonly block: Block;
  readonly found: ResolvedName;
}

/**
 * Resolves a name at each block of a range. A move that is undone between two of the first heights goes unseen.
 * @throws {ApiError} 400 for too many moves; 404 where it never had an address; 422 for an off-chain name
 */
export async function findNameSpans(
  deps: RangeDeps,
  name: string,
  { from, to }: { readonly from: Block; readonly to: Block },
  signal: AbortSignal,
): Promise<NameSpans> {
  const sample = async (heights: readonly number[]): Promise<readonly NameSample[]> => {
    const blocks = await deps.reader.findBlocksUpTo(to, heights, signal);
    const found = await resolveAll(deps, name, blocks, signal);
    return blocks.map((block, i) => ({ block, found: found[i]! }));
  };
  const looks = await sample(evenly(from.number, to.number, LOOKS));
  const isSame = (one: NameSample, other: NameSample): boolean => one.found.address === other.found.address;
  const { narrow, rest } = await findFirstGaps(
    gapsIn(looks).filter(({ low, high }) => !isSame(low, high)),
    {
      ...{ sample, isSame, isChange: () => true },
      ...{ limit: MOST_MOVES + 1, samples: MOST_SAMPLES, deadline: Infinity },
    },
  );
  if (rest !== undefined || narrow.length > MOST_MOVES)
    throw badRequest(
      `resolve: the name moved more than ${MOST_MOVES} times within the range; expected a shorter one`,
      'invalid_range',
    );
  const ends = [...narrow.map(({ low }) => low), looks.at(-1)!];
  const spans = ends.map(({ block, found: { address } }, i): NameSpan => ({
    address,
    after: ends[i - 1]?.block ?? from,
    through: block,
  }));
  return {
    // A name that moved in the first block meant the earlier address in none of the range.
    spans: spans.filter(({ after, through }, i) => after.number < through.number || i === spans.length - 1),
    last: await lastAddress(
      deps,
      ends.map(({ found }) => found),
      to,
      signal,
    ),
  };
}
