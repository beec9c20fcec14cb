/** A track of the index as the walk feeds it. */
import type { FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Approval, Point, Touched } from '../domain/points.ts';
import type { Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';

type Reading = RangeReading<Touched>;

interface TouchedRangesDeps {
  readonly index: HolderIndex;
  readonly track: Track;
  readonly reporter: WalkReporter;
  readonly logs: Pick<FinalizedLogs<unknown>, 'firstFrom'>;
  /** The first block that is wanted. */
  readonly fromBlock: number;
  /** Called where the stored track begins with a later block: the earlier ones would never be read. */
  readonly beginsLater?: (begun: number) => void;
  /** The last block of a part; called once it is in. */
  readonly end?: { readonly block: number; readonly isIn: () => void };
}

interface HeldRange extends TouchedRange {
  readonly points: Point[];
  readonly approvals: Approval[];
  readonly logs: number;
}

/** Ranges are written together: many small writes are slow, and make engines merge. */
const HOLD_MS = 500;
const HOLD_POINTS = 20_000;

export class TouchedRanges implements WalkedIndex<Touched, Reading, Position> {
  readonly #deps: TouchedRangesDeps;
  /** Ranges that are read and not written yet, from the position on. */
  #held: HeldRange | undefined;
  #writtenAt = -Infinity;

  #isBeginningRight = false;

  constructor(deps: TouchedRangesDeps) {
    this.#deps = deps;
  }

  async resume(signal: AbortSignal): Promise<Position | null> {
    this.#held = undefined;
    const { index, track, logs, fromBlock, beginsLater } = this.#deps;
    const position = await index.position(track);
    if (position === null || this.#isBeginningRight) return position;
    // Nodes that lacked the blocks before, and still do, are why an index may begin later than it should.
    if (position.from > fromBlock && (await logs.firstFrom(fromBlock, signal)) < position.from)
      beginsLater?.(position.from);
    this.#isBeginningRight = true;
    return position;
  }

  async prepare(reading: Reading): Promise<Reading> {
    return reading;
  }

  async add(base: Position | null, reading: Reading, { isLast }: AddOptions): Promise<Position | null> {
    const held = this.#hold(reading);
    const rows = held.points.length + held.approvals.length;
    const isDue = performance.now() - this.#writtenAt >= HOLD_MS || rows >= HOLD_POINTS;
    if (!isLast && !isDue) return base;
    const { index, track, reporter } = this.#deps;
    this.#held = undefined;
    const position = await index.append(track, base, held);
    this.#writtenAt = performance.now();
    reporter.applied(position, held.logs, held);
    if (position.number === this.#deps.end?.block) this.#deps.end.isIn();
    return position;
  }

  #hold({ from, to, hash, count, found }: Reading): HeldRange {
    const { from: first = from, points = [], approvals = [], logs = 0 } = this.#held ?? {};
    for (const point of found.points) points.push(point);
    for (const approval of found.approvals) approvals.push(approval);
    return (this.#held = { from: first, to, hash, points, approvals, logs: logs + count });
  }
}
