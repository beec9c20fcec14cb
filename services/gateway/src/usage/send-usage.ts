/** Sends the contents of the spool, and drops them once the bus has acknowledged them. */
import { unlessAborted } from '@hindsight/kernel/abort.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { backoff, pause, retry } from '@hindsight/kernel/retry.ts';
import type { UsageFrame } from './record.ts';
import type { OpenSpool } from './spool/open-spool.ts';
import type { SegmentReader } from './spool/segment-reader.ts';

const FRAMES_AT_ONCE = 100;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Usage of this interval is sent as one frame; otherwise a busy gateway would send 1,000 times a second. */
const GATHER_MS = 250;
const LOOK_FOR_ORPHANS_MS = 10_000;
/** Shutdown waits this long for the final flush; the rest is sent after restart. */
const LAST_SENDING_MS = 4_000;

/** After this many bytes were sent the segment is ended, so that a restart has little to send again. */
const WORTH_REMOVING_BYTES = 256 * 1024;

interface SenderDeps extends Pick<Platform, 'clock' | 'logger'> {
  readonly spool: OpenSpool;
  readonly bus: Pick<EventBus, 'publish'>;
  /** Interval of the search for producers of dead processes. */
  readonly lookForOrphansMs?: number;
}

/** Retries work on the disk; undefined when the job was stopped first. */
type Attempt = <T>(work: () => Promise<T>) => Promise<T | undefined>;

export class UsageSender {
  readonly #deps: SenderDeps;
  readonly #stop = new AbortController();
  #wake: (() => void) | undefined;
  #news = false;
  #closing = false;
  #ownClosed = false;
  #own: Promise<void> | undefined;
  #others: Promise<void> | undefined;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
    deps.spool.writer.onWritten = () => {
      this.#news = true;
      this.#wake?.();
    };
  }

  start(): void {
    this.#own = this.#sendOwn();
    this.#others = this.#sendOrphans();
  }

  /** Call it when nothing is recorded any more: sends the rest and closes the producer. */
  async stop(): Promise<void> {
    const { spool, logger } = this.#deps;
    await spool.writer.close();
    const limit = setTimeout(() => this.#stop.abort(), LAST_SENDING_MS);
    this.#closing = true;
    this.#wake?.();
    await this.#own;
    clearTimeout(limit);
    this.#stop.abort();
    await this.#others;
    if (!this.#ownClosed) logger.warn('usage is left on disk; the next start sends it');
  }

  async #sendOwn(): Promise<void> {
    const { own, writer } = this.#deps.spool;
    while (!this.#stop.signal.aborted) {
      this.#news = false;
      writer.seal();
      await this.#sendAll(own, (work) => this.#retrying(work));
      if (this.#stop.signal.aborted) return;
      if (this.#closing) {
        await this.#closeProducer(own, (work) => this.#retrying(work));
        this.#ownClosed = !this.#stop.signal.aborted;
        return;
      }
      if (!this.#news && writer.waitingBytes > WORTH_REMOVING_BYTES) await writer.endSegment();
      else await this.#untilNews();
      if (!this.#closing) await pause(GATHER_MS, this.#stop.signal);
    }
  }

  async #sendOrphans(): Promise<void> {
    const { spool, logger, lookForOrphansMs = LOOK_FOR_ORPHANS_MS } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for (const producer of await spool.orphans()) await this.#sendOrphan(producer);
      } catch (err) {
        logger.error({ err }, 'could not look for usage of former instances; trying again');
      }
      await pause(lookForOrphansMs, signal);
    }
  }

  /**
   * One that cannot be read or removed does not hold up the others: the next search finds it, here or
   * elsewhere.
   */
  async #sendOrphan(frames: SegmentReader): Promise<void> {
    const { logger } = this.#deps;
    const { signal } = this.#stop;
    const { producer } = frames;
    let sent = false;
    try {
      await this.#sendAll(frames, (work) => unlessAborted(work(), signal));
      await this.#closeProducer(frames, (work) => unlessAborted(work(), signal));
      sent = !signal.aborted;
      if (sent) logger.info({ producer }, 'usage of a former instance was sent');
    } catch (err) {
      if (!signal.aborted)
        logger.error({ err, producer }, 'usage of a former instance could not be sent; trying again');
    } finally {
      if (!sent) frames.release();
    }
  }

  /** All that is there now; returns early when the job is stopped. */
  async #sendAll(own: SegmentReader, onDisk: Attempt): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const frames = await onDisk(() => own.next(FRAMES_AT_ONCE));
      if (frames === undefined || frames.length === 0) return;
      const events = frames.map((frame) => toEvent(own.producer, frame));
      await this.#retrying(() => this.#deps.bus.publish('usage.recorded', events));
      if (!this.#stop.signal.aborted) await own.drop();
    }
  }

  async #closeProducer(sent: SegmentReader, onDisk: Attempt): Promise<void> {
    const { producer } = sent;
    const event = {
      type: 'lane-closed',
      id: `${producer}:closed`,
      source: sourceOf(producer),
      time: this.#deps.clock.now(),
      data: { lane: producer },
    } as const;
    await this.#retrying(() => this.#deps.bus.publish('usage.recorded', [event]));
    if (!this.#stop.signal.aborted) await onDisk(() => sent.remove());
  }

  /** Until it succeeds; undefined when the job was stopped first. */
  async #retrying<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stop;
    const policy = {
      signal,
      pauseMs: (attempt: number) => backoff(attempt, FIRST_PAUSE_MS, MAX_PAUSE_MS),
      onRetry: (err: unknown) =>
        this.#deps.logger.warn({ err }, 'usage could not be sent, or not be deleted from disk; trying again'),
    };
    try {
      // A publish may take longer than the shutdown; the next instance repeats it.
      return await retry(() => unlessAborted(work(), signal), policy);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #untilNews(): Promise<void> {
    if (this.#news || this.#closing) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
  }
}

function sourceOf(producer: string): string {
  return `/gateway/${producer}`;
}

/** On the wire a producer is called a lane. */
function toEvent(producer: string, { sequence, at, entries }: UsageFrame) {
  return {
    type: 'usage-recorded' as const,
    id: `${producer}:${sequence}`,
    source: sourceOf(producer),
    time: at,
    sequence,
    data: { lane: producer, entries: [...entries] },
  };
}
