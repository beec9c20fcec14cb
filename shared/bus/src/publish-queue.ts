/**
 * Gathers concurrent publishes into one write at a time. This makes an embedded log fast (one flush to disk for many)
 * and kafkajs safe: its idempotent producer loses acknowledged messages when a connection drops during several
 * concurrent sends.
 */
import { sizeOf } from '@hindsight/events/envelope.ts';
import { BusClosed, PublishFailed } from './errors.ts';
import type { OutgoingRecord } from './log.ts';
import { settledWithin } from '@hindsight/kernel/deadline.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';

/** A write of a Kafka partition must stay below the broker's 1 MiB. */
const MAX_WRITE_BYTES = 768 * 1024;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
const EXPIRY_CHECK_MS = 200;
const CLOSE_WITHIN_MS = 5_000;

interface Job {
  /** The same for all portions of one publish. */
  readonly publish: symbol;
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly expiresAt: number;
  resolve(): void;
  reject(error: Error): void;
}

type Write = (records: readonly OutgoingRecord[]) => Promise<void>;

export class PublishQueue {
  readonly #write: Write;
  readonly #timeoutMs: number;
  #waiting: Job[] = [];
  #waitingBytes = 0;
  #sending: readonly Job[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;

  /** `write` is called with one batch at a time; a publish that takes longer than `timeoutMs` is rejected. */
  constructor(write: Write, timeoutMs: number) {
    this.#write = write;
    this.#timeoutMs = timeoutMs;
  }

  /** Resolves when all records are written. @throws {PublishFailed | BusClosed} */
  async add(records: readonly OutgoingRecord[]): Promise<void> {
    if (this.#closed) throw new BusClosed();
    const portions = portionsOf(records);
    const bytes = portions.reduce((sum, portion) => sum + portion.bytes, 0);
    // A publish longer than the limit may pass alone; it is in memory already.
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      throw new PublishFailed(`${this.#waitingBytes} bytes are waiting already`);
    }
    const publish = Symbol('publish');
    await Promise.all(portions.map((portion) => this.#enqueue(publish, portion)));
  }

  /** Accepts nothing more and writes what is waiting, for at most 5 s. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#draining !== undefined) await settledWithin(this.#draining, CLOSE_WITHIN_MS);
    this.#fail([...this.#sending, ...this.#waiting], new BusClosed());
  }

  #enqueue(publish: symbol, { records, bytes }: Portion): Promise<void> {
    return new Promise((resolve, reject) => {
      const expiresAt = performance.now() + this.#timeoutMs;
      this.#waiting.push({ publish, records, bytes, expiresAt, resolve, reject });
      this.#waitingBytes += bytes;
      this.#draining ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    const expiry = setInterval(() => this.#expire(), EXPIRY_CHECK_MS);
    try {
      // One turn of the event loop gathers the publishes of many callers.
      await nextTurn();
      while (this.#waiting.length > 0) {
        this.#sending = this.#take();
        await this.#send(this.#sending);
        this.#sending = [];
        if (!this.#isPressed()) await nextTurn();
      }
    } finally {
      clearInterval(expiry);
      this.#draining = undefined;
    }
  }

  /** True if a full write is waiting already. */
  #isPressed(): boolean {
    return this.#waitingBytes >= MAX_WRITE_BYTES;
  }

  #take(): Job[] {
    let bytes = 0;
    let count = 0;
    for (const job of this.#waiting) {
      if (count > 0 && bytes + job.bytes > MAX_WRITE_BYTES) break;
      bytes += job.bytes;
      count++;
    }
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  async #send(jobs: readonly Job[]): Promise<void> {
    try {
      await this.#write(jobs.flatMap((job) => job.records));
      const resolveAll = (): void => jobs.forEach((job) => job.resolve());
      // Callers prepare their next events during the next write, not before it.
      if (this.#isPressed()) setImmediate(resolveAll);
      else resolveAll();
    } catch (error) {
      const refused = error instanceof PublishFailed && error.refused;
      // One publish that the log refuses must not fail the others.
      if (refused && jobs.length > 1) for (const job of jobs) await this.#send([job]);
      else this.#fail(jobs, error as Error);
    }
  }

  #expire(): void {
    const now = performance.now();
    // The write under way stays with the log: its outcome is unknown, and the next write waits for it.
    const late = [...this.#sending, ...this.#waiting].filter(({ expiresAt }) => expiresAt <= now);
    if (late.length > 0) this.#fail(late, new PublishFailed(`not acknowledged within ${this.#timeoutMs} ms`));
  }

  /** Drops the remaining portions too: their publish has failed, and a retry of it would be appended after its own tail. */
  #fail(jobs: readonly Job[], error: Error): void {
    const failed = new Set(jobs.map(({ publish }) => publish));
    const rest = this.#waiting.filter(({ publish }) => failed.has(publish));
    this.#waiting = this.#waiting.filter(({ publish }) => !failed.has(publish));
    for (const { bytes } of rest) this.#waitingBytes -= bytes;
    for (const job of jobs) job.reject(error);
  }
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
