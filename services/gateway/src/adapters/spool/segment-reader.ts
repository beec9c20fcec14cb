/** Reads a lane's frames in order, segment by segment, and removes segments that are read and sent. */
import { open, rm, stat } from 'node:fs/promises';
import type { LaneFrames, UsageFrame } from '../../ports.ts';
import { decodeFrame } from './frame.ts';
import { segmentPath, segmentsOf, type LaneFolder } from './lane-folder.ts';

const CHUNK_BYTES = 256 * 1024;

/** How far a lane is written, and what is told of damage. */
export interface ReadingLimits {
  /** Bytes of a segment that are on disk; undefined where the segment is no longer written to. */
  written(segment: number): number | undefined;
  /** A line that cannot be read; at the very end of a lane it is the trace of a crash in the middle of a write. */
  onDamage(where: { lane: string; segment: number; offset: number; bytes: number; tail: boolean }): void;
  /** Told the sizes of removed segments. */
  onRemoved(bytes: number): void;
}

interface Place {
  readonly segment: number;
  readonly offset: number;
}

/** The frames of a lane that is ours. */
export class SegmentReader implements LaneFrames {
  readonly lane: string;
  readonly #folder: LaneFolder;
  readonly #limits: ReadingLimits;
  #at: Place = { segment: 0, offset: 0 };
  #after: Place = { segment: 0, offset: 0 };

  constructor(folder: LaneFolder, limits: ReadingLimits) {
    this.lane = folder.lane;
    this.#folder = folder;
    this.#limits = limits;
  }

  async next(most: number): Promise<readonly UsageFrame[]> {
    let place = this.#at;
    for (;;) {
      const segment = (await segmentsOf(this.#folder.path)).find((number) => number >= place.segment);
      if (segment === undefined) return [];
      if (segment !== place.segment) place = { segment, offset: 0 };
      const { frames, offset, finished } = await this.#read(place, most);
      this.#after = { segment, offset };
      if (frames.length > 0) return frames;
      if (!finished) return [];
      // Nothing is left in it: it can go, and the next one follows.
      await this.drop();
      await this.#remove(segment);
      place = this.#at = { segment: segment + 1, offset: 0 };
    }
  }

  async drop(): Promise<void> {
    this.#at = this.#after;
  }

  async remove(): Promise<void> {
    await this.#folder.remove();
  }

  async #read({ segment, offset }: Place, most: number) {
    const path = segmentPath(this.#folder.path, segment);
    const written = this.#limits.written(segment);
    const size = written ?? (await stat(path)).size;
    const frames: UsageFrame[] = [];
    let bytes = CHUNK_BYTES;
    for (;;) {
      const text = await readPart(path, offset, Math.min(bytes, size - offset));
      const end = text.lastIndexOf(0x0a) + 1;
      const last = offset + text.length >= size;
      // A line longer than the chunk: a longer chunk.
      if (end === 0 && !last) {
        bytes *= 2;
        continue;
      }
      let at = 0;
      while (at < end && frames.length < most) {
        const stop = text.indexOf(0x0a, at);
        const frame = decodeFrame(text.toString('utf8', at, stop));
        if (frame !== undefined) frames.push(frame);
        else
          this.#damaged(
            segment,
            offset + at,
            stop - at,
            written === undefined && last && stop + 1 === text.length,
          );
        at = stop + 1;
      }
      if (written === undefined && last && at === end && end < text.length) {
        this.#damaged(segment, offset + end, text.length - end, true);
        at = text.length;
      }
      const reached = offset + at;
      return { frames, offset: reached, finished: written === undefined && reached >= size };
    }
  }

  #damaged(segment: number, offset: number, bytes: number, tail: boolean): void {
    this.#limits.onDamage({ lane: this.lane, segment, offset, bytes, tail });
  }

  async #remove(segment: number): Promise<void> {
    const path = segmentPath(this.#folder.path, segment);
    const { size } = await stat(path);
    await rm(path, { force: true });
    this.#limits.onRemoved(size);
  }
}

async function readPart(path: string, offset: number, bytes: number): Promise<Buffer> {
  if (bytes <= 0) return Buffer.alloc(0);
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
