/** The spool of this life of the gateway: records gathered into frames, one flush to disk for all that came meanwhile. */
import type { Clock } from '@hindsight/shared/clock.ts';
import { MOST_USAGE_ENTRIES } from '@hindsight/shared/events/usage-recorded.ts';
import { writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { SpoolFull, type UsageFrame, type UsageRecord, type UsageSpool } from '../../ports.ts';
import { encodeFrame } from './frame.ts';
import { segmentPath, syncFolder, type LaneFolder } from './lane-folder.ts';

/** After so many bytes a new segment begins: only whole ones can be removed. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** From so many records a flush on, the next one waits a moment for more: the disk is asked less often. */
const CROWD = 8;
const GATHER_MS = 1;
/** After a failed write the disk is tried again so much later. */
const PAUSE_MS = 1_000;

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

interface Batch {
  readonly counts: Map<string, UsageRecord & { requests: number }>;
  readonly waiting: Waiting[];
}

interface WriterOptions {
  readonly folder: LaneFolder;
  readonly clock: Clock;
  /** The most that may wait to be sent. */
  readonly maxBytes: number;
  /** Told after each flush: there is something to send. */
  readonly onWritten: () => void;
  readonly onFailure: (error: unknown) => void;
}

interface Segment {
  readonly number: number;
  readonly file: FileHandle;
  /** What is on disk. */
  written: number;
}

/** Writes a lane. */
export class SpoolWriter implements UsageSpool {
  readonly #options: WriterOptions;
  #batch: Batch = { counts: new Map(), waiting: [] };
  #segment: Segment | undefined;
  #lastSegment = 0;
  #sequence = 0;
  #bytes = 0;
  #pausedUntil = 0;
  #flushing: Promise<void> | undefined;
  #closed = false;
  /** Many were waiting for the last flush: a moment later there are more of them. */
  #crowded = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get accepting(): boolean {
    return !this.#closed && this.#bytes < this.#options.maxBytes && performance.now() >= this.#pausedUntil;
  }

  /** Bytes that are on disk and not sent. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  record(record: UsageRecord): Promise<void> {
    if (!this.accepting) return Promise.reject(new SpoolFull('the usage spool takes nothing more'));
    return new Promise((resolve, reject) => {
      const { counts, waiting } = this.#batch;
      const key = `${record.endpoint}|${record.day}|${record.projectId}`;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { ...record, requests: 1 });
      else known.requests++;
      waiting.push({ resolve, reject });
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Bytes of a segment that may be read; undefined for one that is complete. */
  written(segment: number): number | undefined {
    return segment === this.#segment?.number ? this.#segment.written : undefined;
  }

  /** Told that segments were removed. */
  removed(bytes: number): void {
    this.#bytes = Math.max(this.#bytes - bytes, 0);
  }

  /** Ends the segment that is written to, so that it can be removed once it is sent. */
  async endSegment(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    await this.#rotate();
  }

  /** Writes what is waiting; nothing is taken any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.endSegment();
  }

  async #flushAll(): Promise<void> {
    // What this turn of the event loop still brings goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#batch.waiting.length > 0) {
      if (this.#crowded) await sleep(GATHER_MS);
      const batch = this.#batch;
      this.#crowded = batch.waiting.length >= CROWD;
      this.#batch = { counts: new Map(), waiting: [] };
      try {
        await this.#write(batch);
        for (const waiter of batch.waiting) waiter.resolve();
        this.#options.onWritten();
      } catch (error) {
        this.#pausedUntil = performance.now() + PAUSE_MS;
        this.#options.onFailure(error);
        const refused = new SpoolFull('the usage spool cannot be written', { cause: error });
        for (const waiter of batch.waiting) waiter.reject(refused);
        await this.#abandon();
      }
    }
    this.#flushing = undefined;
  }

  async #write({ counts }: Batch): Promise<void> {
    const bytes = Buffer.from(
      this.#framesOf([...counts.values()])
        .map(encodeFrame)
        .join(''),
    );
    const segment = (this.#segment ??= await this.#begin());
    // Into the page cache only, which is quicker than a turn of the thread pool; the wait for the disk is not ours.
    for (let done = 0; done < bytes.length;) {
      // A longer write may be cut short by the disk.
      done += writeSync(segment.file.fd, bytes, done, bytes.length - done, segment.written + done);
    }
    await segment.file.datasync();
    segment.written += bytes.length;
    this.#bytes += bytes.length;
    if (segment.written >= SEGMENT_BYTES) await this.#rotate();
  }

  #framesOf(entries: UsageFrame['entries']): UsageFrame[] {
    const frames: UsageFrame[] = [];
    const at = this.#options.clock.now();
    for (let first = 0; first < entries.length; first += MOST_USAGE_ENTRIES) {
      const part = entries.slice(first, first + MOST_USAGE_ENTRIES);
      frames.push({ sequence: ++this.#sequence, at, entries: part });
    }
    return frames;
  }

  async #begin(): Promise<Segment> {
    const number = ++this.#lastSegment;
    const { path } = this.#options.folder;
    const file = await open(segmentPath(path, number), 'wx', 0o600);
    await syncFolder(path);
    return { number, file, written: 0 };
  }

  async #rotate(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.file.close();
  }

  /** What was refused must not be found after a restart. */
  async #abandon(): Promise<void> {
    const segment = this.#segment;
    try {
      await segment?.file.truncate(segment.written);
      await segment?.file.datasync();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      await segment?.file.close().catch(() => undefined);
      // Only now may the reader go to its end.
      this.#segment = undefined;
    }
  }
}
