/** Heights to read in the search for a moment between two blocks. Pure. */
import type { Block } from '../state/block.ts';

/** Two blocks with the moment between them: `below` is not after it, `above` is after it. */
export interface Bracket {
  readonly below: Block;
  readonly above: Block;
}

/** Heights spread evenly, which bound the number of requests however uneven the times are. */
const EVEN = 4;
/** Distances of the nearest and the farthest pair from the guess, as fractions of the bracket. */
const NEAREST = 1 / 2048;
const FARTHEST = 1 / 8;
/** Distance of the farthest of a few heights from the guess, in standard deviations. */
const FEW_SPREAD = 2.2;

/**
 * At most `count` heights strictly between the two blocks, ascending; all of them if there are no more. The
 * height is guessed by interpolation. Since the guess is off by an unknown amount, pairs are laid around it
 * at distances that grow by a constant factor. Measured with 20,000 moments on 20,000,000 blocks with times
 * like mainnet's, 24 heights a request, nothing remembered, the request for the chain's ends included: 4
 * requests for 64 % of them, 5 for 36 %, 6 for 0.2 %.
 */
export function guessHeights({ below, above }: Bracket, seconds: number, count: number): readonly number[] {
  const width = above.number - below.number;
  if (width - 1 <= count) return between(below, above);
  const share = (seconds - below.timestamp) / (above.timestamp - below.timestamp);
  const guess = below.number + Math.floor(width * share);
  const heights = new Set(evenHeights({ below, above }));
  for (const distance of distances(width, (count - EVEN) >> 1)) {
    heights.add(guess - distance + 1);
    heights.add(guess + distance);
  }
  return [...heights]
    .filter((height) => height > below.number && height < above.number)
    .sort((a, b) => a - b);
}

/**
 * At most `count` + 1 heights strictly between the two blocks, for many concurrent searches with a few
 * heights each: around the interpolation, as far from it as blocks that come at random would be.
 */
export function guessFewHeights(
  { below, above }: Bracket,
  seconds: number,
  count: number,
): readonly number[] {
  const width = above.number - below.number;
  if (width - 1 <= 1.5 * count) return between(below, above);
  const share = (seconds - below.timestamp) / (above.timestamp - below.timestamp);
  const guess = below.number + width * share;
  const deviation = Math.sqrt(Math.max(width * share * (1 - share), 1));
  const heights = [Math.floor(guess)];
  for (let index = 0; index < count; index++) {
    const away = (2 * index + 1 - count) / count;
    heights.push(Math.round(guess + FEW_SPREAD * Math.sign(away) * Math.abs(away) ** 1.5 * deviation));
  }
  return heights.filter((height) => height > below.number && height < above.number);
}

/** Four heights at most, which divide the bracket evenly: they narrow it to a fifth, whatever the times are. */
export function evenHeights({ below, above }: Bracket): readonly number[] {
  const width = above.number - below.number;
  const all = Array.from(
    { length: EVEN },
    (_, i) => below.number + Math.floor((width * (i + 1)) / (EVEN + 1)),
  );
  return all.filter((height) => height > below.number);
}

function between(below: Block, above: Block): readonly number[] {
  return Array.from({ length: above.number - below.number - 1 }, (_, index) => below.number + 1 + index);
}

function distances(width: number, count: number): readonly number[] {
  const nearest = Math.max(1, width * NEAREST);
  const farthest = Math.max(count, width * FARTHEST);
  const factor = (farthest / nearest) ** (1 / (count - 1));
  const found: number[] = [];
  for (let index = 0; index < count; index++) {
    found.push(Math.max((found.at(-1) ?? 0) + 1, Math.round(nearest * factor ** index)));
  }
  return found;
}
