/** Reads a producer's frames in order, segment by segment, and removes segments that are read and sent. */
import { open, rm, stat } from 'node:fs/promises';
import type { UsageEntry, UsageFrame } from '../record.ts';
import { addTo, decodeFrame, type Counts } from './frame.ts';
import { segmentPath, segmentsOf, type ProducerFolder } from './producer-folder.ts';

export interface ReadingLimits {
  /** Bytes of a segment that hold whole frames; undefined if the segment is no longer written to. */
  sealed(segment: number): number | undefined;
  /**
   * Reports a line that cannot be read; at the very end of a log it is the trace of a crash in the middle of
   * a write.
   */
  onDamage(where: { producer: string; segment: number; offset: number; bytes: number; tail: boolean }): void;
  /** Called with the sizes of removed segments. */
  onRemoved(bytes: number): void;
}

interface Place {
  readonly segment: number;
  readonly offset: number;
}

/** The frames of a producer that is ours, in order; one reader at a time. */
export class SegmentReader {
  readonly producer: string;
  readonly #folder: ProducerFolder;
  readonly #limits: ReadingLimits;
  /** Place of the next frames, and the one after those that `next` gave last. */
  #at: Place = { segment: 0, offset: 0 };
  #after: Place = { segment: 0, offset: 0 };

  constructor(folder: ProducerFolder, limits: ReadingLimits) {
    this.producer = folder.producer;
    this.#folder = folder;
    this.#limits = limits;
  }

  /** The next frames that have not been dropped; empty when there are none yet. */
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

  /** Forgets the frames that `next` gave last. */
  async drop(): Promise<void> {
    this.#at = this.#after;
  }

  /** Removes its files: everything in them has been sent. */
  async remove(): Promise<void> {
    await this.#folder.remove();
  }

  /** Leaves the producer to the next process. */
  release(): void {
    this.#folder.release();
  }

  /** A segment is no longer than a few megabytes, and of the one being written it is only what is new. */
  async #read({ segment, offset }: Place, most: number) {
    const path = segmentPath(this.#folder.path, segment);
    const sealed = this.#limits.sealed(segment);
    const size = sealed ?? (await stat(path)).size;
    const text = await readPart(path, offset, size - offset);
    const growing: GrowingFrame[] = [];
    let at = 0;
    while (at < text.length) {
      const stop = text.indexOf(0x0a, at);
      const end = stop === -1 ? text.length : stop;
      const line = stop === -1 ? undefined : decodeFrame(text.toString('utf8', at, stop));
      if (line === undefined)
        this.#damaged(segment, offset + at, end - at, sealed === undefined && end + 1 >= text.length);
      else if (!addLine(growing, line, most)) break;
      at = Math.min(end + 1, text.length);
    }
    const reached = offset + at;
    const frames = growing.map(({ counts, ...frame }): UsageFrame => ({
      ...frame,
      entries: Array.from(counts.values(), ({ units, ...entry }): UsageEntry =>
        units === entry.requests ? entry : { ...entry, units },
      ),
    }));
    return { frames, offset: reached, finished: sealed === undefined && reached >= size };
  }

  #damaged(segment: number, offset: number, bytes: number, tail: boolean): void {
    this.#limits.onDamage({ producer: this.producer, segment, offset, bytes, tail });
  }

  async #remove(segment: number): Promise<void> {
    const path = segmentPath(this.#folder.path, segment);
    const { size } = await stat(path);
    await rm(path, { force: true });
    this.#limits.onRemoved(size);
  }
}

/** A frame as its lines are put together. */
interface GrowingFrame {
  readonly sequence: number;
  readonly at: number;
  readonly counts: Counts;
}

/** Adds a line to its frame, the last one or a new one; false when that is one too many. */
function addLine(frames: GrowingFrame[], { sequence, at, entries }: UsageFrame, most: number): boolean {
  let frame = frames.at(-1);
  if (frame?.sequence !== sequence) {
    if (frames.length === most) return false;
    frame = { sequence, at, counts: new Map() };
    frames.push(frame);
  }
  for (const { requests, units = requests, ...record } of entries)
    addTo(frame.counts, record, requests, units);
  return true;
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
