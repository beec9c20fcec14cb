/**
 * A track whose first block was lowered after it had begun: the earlier blocks are a part with a walk and a position of its
 * own, until the two meet. A position is only ever moved by its own walk.
 */
import type { Position } from '@hindsight/indexing/position.ts';
import type { Track } from './tracks.ts';

const FROM = ' from ';

/** The part of a track that begins with a block; a track of its own for walk, position and lease. */
export function partOf(track: Track, from: number): Track {
  return `${track}${FROM}${from}`;
}

/** The track that a part belongs to; of a track, the track itself. */
export function trackOfPart(part: Track): Track {
  return part.split(FROM, 1)[0]!;
}

export function isPart(name: Track): boolean {
  return name.includes(FROM);
}

export function partsPrefix(track: Track): string {
  return track + FROM;
}

export interface StoredPosition extends Position {
  readonly track: Track;
}

/**
 * The position of a track, beginning with the earliest part after which no block is missing.
 * @param stored those of other tracks may be among them
 */
export function joinParts(track: Track, stored: readonly StoredPosition[]): Position | null {
  const last = stored.find((one) => one.track === track);
  if (last === undefined) return null;
  let { from } = last;
  // A part that is not complete leaves a gap, and all parts before it are beyond that gap.
  const parts = stored.filter((one) => one.track.startsWith(partsPrefix(track)));
  for (const part of parts.toSorted((one, other) => other.from - one.from))
    if (part.from < from && part.number >= from - 1) from = part.from;
  return { from, number: last.number, hash: last.hash };
}
