/** A track of the index as the walk feeds it. */
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Point } from '../domain/points.ts';
import type { Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';

type Reading = RangeReading<readonly Point[]>;

interface HeldRange extends TouchedRange {
  readonly points: Point[];
  readonly logs: number;
}

/** Ranges are written together: many small writes are slow, and make engines merge. */
const HOLD_MS = 500;
const HOLD_POINTS = 20_000;

/** Adds the holders that ranges touch. */
export class TouchedRanges implements WalkedIndex<readonly Point[], Reading, Position> {
  readonly #deps: {
    readonly index: HolderIndex;
    readonly track: Track;
    readonly reporter: WalkReporter;
  };
  /** Ranges that are read and not written yet, from the position on. */
  #held: HeldRange | undefined;
  #writtenAt = -Infinity;

  constructor(deps: { readonly index: HolderIndex; readonly track: Track; readonly reporter: WalkReporter }) {
    this.#deps = deps;
  }

  resume(): Promise<Position | null> {
    this.#held = undefined;
    return this.#deps.index.position(this.#deps.track);
  }

  async prepare(reading: Reading): Promise<Reading> {
    return reading;
  }

  async add(base: Position | null, reading: Reading, { isLast }: AddOptions): Promise<Position | null> {
    const held = this.#hold(reading);
    const isDue = performance.now() - this.#writtenAt >= HOLD_MS || held.points.length >= HOLD_POINTS;
    if (!isLast && !isDue) return base;
    const { index, track, reporter } = this.#deps;
    this.#held = undefined;
    const position = await index.append(track, base, held);
    this.#writtenAt = performance.now();
    reporter.applied(position, held.logs, held);
    return position;
  }

  #hold({ from, to, hash, count, found }: Reading): HeldRange {
    const { from: first = from, points = [], logs = 0 } = this.#held ?? {};
    for (const point of found) points.push(point);
    return (this.#held = { from: first, to, hash, points, logs: logs + count });
  }

  claim(lease: IndexLease, now: number): Promise<boolean> {
    return this.#deps.index.claim(this.#deps.track, lease, now);
  }

  release(holder: string): Promise<void> {
    return this.#deps.index.release(this.#deps.track, holder);
  }
}
