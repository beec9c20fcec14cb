/**
 * Gathers concurrent publishes into one write at a time. That is what makes an embedded log fast (one flush to disk
 * for many), and what kafkajs needs to be safe: its idempotent producer loses acknowledged messages when several sends
 * are under way and a connection drops.
 */
import { sizeOf } from '../events/envelope.ts';
import { BusClosed, PublishFailed } from './errors.ts';
import type { OutgoingRecord } from './log.ts';
import { nextTurn, settledWithin } from './waiting.ts';

/** A write of a Kafka partition must stay below the broker's 1 MiB. */
const MAX_WRITE_BYTES = 768 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const EXPIRY_CHECK_MS = 200;
const CLOSE_WITHIN_MS = 5_000;

interface Job {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly expiresAt: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Accepts publishes. */
export interface PublishQueue {
  /** Resolves when all records are written. @throws {PublishFailed | BusClosed} */
  add(records: readonly OutgoingRecord[]): Promise<void>;
  /** Takes nothing more and writes what is waiting, for 5 s at most. */
  close(): Promise<void>;
}

/** `write` is called with one batch at a time; a publish that takes longer than `timeoutMs` is rejected. */
export function createPublishQueue(
  write: (records: readonly OutgoingRecord[]) => Promise<void>,
  timeoutMs: number,
): PublishQueue {
  const waiting: Job[] = [];
  let waitingBytes = 0;
  let sending: readonly Job[] = [];
  let draining: Promise<void> | undefined;
  let closed = false;

  async function drain(): Promise<void> {
    const expiry = setInterval(expire, EXPIRY_CHECK_MS);
    try {
      // A turn of the event loop lets the publishes of many callers gather.
      await nextTurn();
      while (waiting.length > 0) {
        sending = take();
        await send(sending);
        sending = [];
        if (!isPressed()) await nextTurn();
      }
    } finally {
      clearInterval(expiry);
      draining = undefined;
    }
  }

  /** Whether a full write is waiting already. */
  function isPressed(): boolean {
    return waitingBytes >= MAX_WRITE_BYTES;
  }

  function take(): Job[] {
    let bytes = 0;
    let count = 0;
    for (const job of waiting) {
      if (count > 0 && bytes + job.bytes > MAX_WRITE_BYTES) break;
      bytes += job.bytes;
      count++;
    }
    waitingBytes -= bytes;
    return waiting.splice(0, count);
  }

  async function send(jobs: readonly Job[]): Promise<void> {
    try {
      await write(jobs.flatMap((job) => job.records));
      const tell = (): void => jobs.forEach((job) => job.resolve());
      // Callers prepare their next events while the next write is on its way, not before it.
      if (isPressed()) setImmediate(tell);
      else tell();
    } catch (error) {
      const refused = error instanceof PublishFailed && error.refused;
      // One publish that the log does not want must not take the others with it.
      if (refused && jobs.length > 1) for (const job of jobs) await send([job]);
      else for (const job of jobs) job.reject(error as Error);
    }
  }

  function expire(): void {
    const now = performance.now();
    const late = new PublishFailed(`not acknowledged within ${timeoutMs} ms`);
    // What is being written stays with the log: its outcome is not known, and the next write waits for it.
    for (const job of sending) if (job.expiresAt <= now) job.reject(late);
    while (waiting[0] !== undefined && waiting[0].expiresAt <= now) {
      const job = waiting.shift();
      waitingBytes -= job?.bytes ?? 0;
      job?.reject(late);
    }
  }

  function enqueue(records: readonly OutgoingRecord[], bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ records, bytes, expiresAt: performance.now() + timeoutMs, resolve, reject });
      waitingBytes += bytes;
      draining ??= drain();
    });
  }

  return {
    async add(records) {
      if (closed) throw new BusClosed();
      if (records.length === 0) return;
      const portions = portionsOf(records);
      const bytes = portions.reduce((sum, portion) => sum + portion.bytes, 0);
      // A publish longer than the limit may pass when it is alone; it is in memory already.
      if (waitingBytes > 0 && waitingBytes + bytes > MAX_WAITING_BYTES) {
        throw new PublishFailed(`${waitingBytes} bytes are waiting already`);
      }
      await Promise.all(portions.map((portion) => enqueue(portion.records, portion.bytes)));
    },
    async close() {
      closed = true;
      if (draining !== undefined) await settledWithin(draining, CLOSE_WITHIN_MS);
      for (const job of [...sending, ...waiting.splice(0)]) job.reject(new BusClosed());
    },
  };
}

interface Portion {
  records: OutgoingRecord[];
  bytes: number;
}

function portionsOf(records: readonly OutgoingRecord[]): Portion[] {
  const portions: Portion[] = [];
  let last: Portion | undefined;
  for (const record of records) {
    const bytes = sizeOf(record);
    if (last === undefined || last.bytes + bytes > MAX_WRITE_BYTES) {
      last = { records: [], bytes: 0 };
      portions.push(last);
    }
    last.records.push(record);
    last.bytes += bytes;
  }
  return portions;
}
