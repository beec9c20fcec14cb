/** The spool of this instance: gathers concurrent records into frames, with one flush to disk for all. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { MAX_USAGE_ENTRIES } from '@hindsight/events/usage-recorded.ts';
import { writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate as immediate } from 'node:timers/promises';
import { SpoolFull, type UsageFrame, type UsageRecord } from '../record.ts';
import { addTo, encodeFrame, type Counts } from './frame.ts';
import type { OwnFolder } from './own-folder.ts';
import { hasRoom, segmentPath, syncFolder } from './producer-folder.ts';

/** A new segment begins after this many bytes: only whole ones can be removed. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** A flush waits no longer than this for more to come. */
const GATHER_MS = 2;
/** Pause after a failed write before the next one. */
const PAUSE_MS = 1_000;

/** Records that are flushed, and awaited, together. */
interface Batch {
  readonly counts: Counts;
  records: number;
  readonly written: PromiseWithResolvers<void>;
}

function emptyBatch(): Batch {
  const written = Promise.withResolvers<void>();
  // Without a waiting request, a failure must not end the process.
  written.promise.catch(() => undefined);
  return { counts: new Map(), records: 0, written };
}

interface WriterOptions {
  readonly folder: Pick<OwnFolder, 'path' | 'isMade' | 'close'>;
  readonly clock: Clock;
  /** Most bytes that may wait to be sent at this moment. */
  readonly maxBytes: () => number;
  readonly onFailure: (error: unknown) => void;
}

interface Segment {
  readonly number: number;
  readonly file: FileHandle;
  /** Bytes on disk. */
  written: number;
  /** The part of it whose frames are sealed. */
  sealed: number;
}

/**
 * Writes the log. A frame is all lines with its number: until it is sealed, each flush adds a line to it, so
 * that only a few frames a second are sent, however often the disk is written.
 */
export class SpoolWriter {
  /** Called after each flush: there is something to send. */
  onWritten: () => void = () => undefined;
  readonly #options: WriterOptions;
  #batch = emptyBatch();
  #segment: Segment | undefined;
  #lastSegment = 0;
  /** The last segment that is complete: nothing more is written to it, or to those before it. */
  #completeSegments = 0;
  /** The open frame's number, and the keys of its entries. */
  #sequence = 1;
  readonly #entries = new Set<string>();
  #writing = false;
  #toBeSealed = false;
  #bytes = 0;
  #pausedUntil = 0;
  /** Of the last write; undefined once one has worked. */
  #failure: SpoolFull | undefined;
  #flushing: Promise<void> | undefined;
  #closed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** False while it can take nothing more: the disk is full, or too much is waiting to be sent. */
  get accepting(): boolean {
    const { folder, maxBytes } = this.#options;
    const isOpen = !this.#closed && folder.isMade;
    return isOpen && this.#bytes < maxBytes() && performance.now() >= this.#pausedUntil;
  }

  /**
   * For `/readyz`. After a failed write it tries one itself: a process that is not ready may get no request that would.
   * @throws {SpoolFull} while it takes nothing more, in words fit for strangers
   */
  async check(): Promise<string> {
    const { folder, maxBytes } = this.#options;
    if (this.#bytes >= maxBytes()) throw new SpoolFull('full');
    const failure = this.#failure;
    // Another write may fail meanwhile.
    if (failure && (await hasRoom(folder.path)) && this.#failure === failure) this.#worksAgain();
    if (!folder.isMade || this.#failure !== undefined) throw new SpoolFull('cannot be written');
    return 'writable';
  }

  /** Bytes that are on disk and not sent. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /**
   * Resolves when the record is on disk.
   * @param units cost of the request
   * @param requests 0 for a further portion of a request that was recorded before
   * @throws {SpoolFull}
   */
  record(record: UsageRecord, units = 1, requests: 0 | 1 = 1): Promise<void> {
    if (!this.accepting) return Promise.reject(new SpoolFull('the usage spool is full'));
    const batch = this.#batch;
    addTo(batch.counts, record, requests, units);
    batch.records++;
    this.#flushing ??= this.#flushAll();
    return batch.written.promise;
  }

  /** Completes the open frame, so that it can be sent: at once, or with the write under way. */
  seal(): void {
    if (this.#writing) this.#toBeSealed = true;
    else this.#sealNow();
  }

  /** Bytes of a segment that may be read: whole frames. Undefined for a segment that is complete. */
  sealed(segment: number): number | undefined {
    if (segment <= this.#completeSegments) return undefined;
    // One that is just being made is empty, not complete.
    return segment === this.#segment?.number ? this.#segment.sealed : 0;
  }

  removed(bytes: number): void {
    this.#bytes = Math.max(this.#bytes - bytes, 0);
  }

  /** Ends the current segment, so that it can be removed once it is sent. */
  async endSegment(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
    await this.#rotate();
  }

  /** Writes the waiting records; further ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#options.folder.close();
    await this.endSegment();
  }

  async #flushAll(): Promise<void> {
    while (this.#batch.records > 0) {
      await this.#gather();
      const batch = this.#batch;
      this.#batch = emptyBatch();
      this.#writing = true;
      try {
        await this.#write(batch);
        this.#worksAgain();
        batch.written.resolve();
        this.onWritten();
      } catch (error) {
        this.#pausedUntil = performance.now() + PAUSE_MS;
        this.#failure = new SpoolFull('the usage spool cannot be written', { cause: error });
        this.#options.onFailure(error);
        batch.written.reject(this.#failure);
        await this.#abandon();
      } finally {
        this.#writing = false;
      }
    }
    this.#flushing = undefined;
  }

  #worksAgain(): void {
    this.#failure = undefined;
    this.#pausedUntil = 0;
  }

  /** Batches until a turn of the event loop adds nothing; waiting longer only adds latency. */
  async #gather(): Promise<void> {
    const until = performance.now() + GATHER_MS;
    let before: number;
    do {
      before = this.#batch.records;
      await immediate();
    } while (this.#batch.records > before && performance.now() < until);
  }

  async #write({ counts }: Batch): Promise<void> {
    const bytes = Buffer.from(this.#linesOf(counts).map(encodeFrame).join(''));
    const segment = this.#segment ?? (await this.#begin());
    // Into the page cache only, which is quicker than a turn of the thread pool; the thread pool waits for
    // the disk.
    for (let done = 0; done < bytes.length;) {
      // A longer write may be cut short by the disk.
      done += writeSync(segment.file.fd, bytes, done, bytes.length - done, segment.written + done);
    }
    await segment.file.datasync();
    segment.written += bytes.length;
    this.#bytes += bytes.length;
    if (this.#toBeSealed) this.#sealNow();
    if (segment.written >= SEGMENT_BYTES) await this.#rotate();
  }

  #linesOf(counts: Counts): UsageFrame[] {
    const lines: UsageFrame[] = [];
    const at = this.#options.clock.now();
    let entries: UsageFrame['entries'][number][] = [];
    const endLine = (): void => {
      if (entries.length > 0) lines.push({ sequence: this.#sequence, at, entries });
      entries = [];
    };
    for (const [key, entry] of counts) {
      if (!this.#entries.has(key) && this.#entries.size === MAX_USAGE_ENTRIES) {
        endLine();
        this.#nextFrame();
      }
      this.#entries.add(key);
      entries.push(entry);
    }
    endLine();
    return lines;
  }

  #nextFrame(): void {
    if (this.#entries.size === 0) return;
    this.#sequence++;
    this.#entries.clear();
  }

  #sealNow(): void {
    this.#toBeSealed = false;
    this.#nextFrame();
    if (this.#segment !== undefined) this.#segment.sealed = this.#segment.written;
  }

  async #begin(): Promise<Segment> {
    const number = ++this.#lastSegment;
    const { path } = this.#options.folder;
    const file = await open(segmentPath(path, number), 'wx', 0o600);
    const segment = { number, file, written: 0, sealed: 0 };
    // Before the next step: where that fails, the file is closed with what else the write leaves.
    this.#segment = segment;
    await syncFolder(path);
    return segment;
  }

  async #rotate(): Promise<void> {
    const segment = this.#segment;
    // No frame goes on in another segment.
    this.#sealNow();
    this.#segment = undefined;
    this.#completeSegments = this.#lastSegment;
    // Its records are on disk already: neither a request nor the sender fails by this.
    await segment?.file.close().catch(this.#options.onFailure);
  }

  /** Refused records must not be found after a restart. */
  async #abandon(): Promise<void> {
    const segment = this.#segment;
    try {
      await segment?.file.truncate(segment.written);
      await segment?.file.datasync();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      // Only now may the reader read to its end.
      await this.#rotate();
    }
  }
}
