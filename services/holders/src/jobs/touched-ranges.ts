/** A track of the index as the walk feeds it. */
import type { FinalizedLogs } from '@hindsight/indexing/finalized-logs.ts';
import { IndexHalted } from '@hindsight/indexing/halted.ts';
import type { IndexLease } from '@hindsight/indexing/lease.ts';
import type { Position } from '@hindsight/indexing/position.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import type { Point } from '../domain/points.ts';
import { ALL_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TouchedRange } from '../ports.ts';

type Reading = RangeReading<readonly Point[]>;

interface TouchedRangesDeps {
  readonly index: HolderIndex;
  readonly track: Track;
  readonly reporter: WalkReporter;
  readonly logs: Pick<FinalizedLogs<unknown>, 'firstFrom'>;
  /** The first block that is wanted. */
  readonly fromBlock: number;
}

interface HeldRange extends TouchedRange {
  readonly points: Point[];
  readonly logs: number;
}

/** Ranges are written together: many small writes are slow, and make engines merge. */
const HOLD_MS = 500;
const HOLD_POINTS = 20_000;

/** `INDEX_FROM` was lowered after the track had begun: its earlier blocks would never be read. */
class BeginsLater extends IndexHalted {
  override readonly name = 'BeginsLater';

  constructor(track: Track, begun: number, wanted: number) {
    super(
      `INDEX_FROM: the index of ${track === ALL_TOKENS ? 'all tokens' : track} begins at block ${begun}, and was asked to ` +
        `begin at ${wanted}; set INDEX_FROM to ${begun} to go on, or remove this index, which then begins there`,
    );
  }
}

/** Adds the holders that ranges touch. */
export class TouchedRanges implements WalkedIndex<readonly Point[], Reading, Position> {
  readonly #deps: TouchedRangesDeps;
  /** Ranges that are read and not written yet, from the position on. */
  #held: HeldRange | undefined;
  #writtenAt = -Infinity;

  #isBeginningRight = false;

  constructor(deps: TouchedRangesDeps) {
    this.#deps = deps;
  }

  /** @throws {BeginsLater} */
  async resume(signal: AbortSignal): Promise<Position | null> {
    this.#held = undefined;
    const { index, track, logs, fromBlock } = this.#deps;
    const position = await index.position(track);
    if (position === null || this.#isBeginningRight) return position;
    // Nodes that lacked the blocks before, and still do, are why an index may begin later than it should.
    if (position.from > fromBlock && (await logs.firstFrom(fromBlock, signal)) < position.from)
      throw new BeginsLater(track, position.from, fromBlock);
    this.#isBeginningRight = true;
    return position;
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
