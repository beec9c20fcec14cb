import { Job } from '@hindsight/kernel/job.ts';
import type { BatchEntry, PublishedHead, PublishedOrders } from './ports.ts';

/** Interval of the queries for newly published orders, while a reader waits. */
const LOOK_EVERY_MS = 250;
/** Events that are read at a time. */
const READ_AT_ONCE = 100;

/** Follows the published orders for any number of readers, with one query of the store for all of them. */
export class PublishedFeed {
  readonly #published: PublishedOrders;
  readonly #job: Job;
  readonly #waiting = new Set<{ readonly sequence: number; readonly resolve: () => void }>();

  constructor(published: PublishedOrders) {
    this.#published = published;
    // Its readers report what fails.
    this.#job = new Job({ name: 'feed of orders', everyMs: LOOK_EVERY_MS, work: () => this.#look() });
  }

  start(): void {
    this.#job.start();
  }

  /** Something was published. */
  nudge(): void {
    this.#job.nudge();
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  head(): Promise<PublishedHead> {
    return this.#published.head();
  }

  /** The next events, in order; an empty list if none came within the time, or at the signal. */
  async next(after: number, withinMs: number, signal: AbortSignal): Promise<readonly BatchEntry[]> {
    const { sequence } = await this.#published.head();
    if (sequence <= after) {
      await this.reaches(after + 1, withinMs, signal);
      return [];
    }
    return this.#published.read(after, sequence, READ_AT_ONCE);
  }

  /** Resolves when an event is published, or at the end of the time, or at the signal. */
  reaches(sequence: number, withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#waiting.delete(waiter);
        resolve();
      };
      const waiter = { sequence, resolve: end };
      const timer = setTimeout(end, withinMs);
      signal.addEventListener('abort', end);
      this.#waiting.add(waiter);
    });
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const head = await this.#published.head();
    for (const { sequence, resolve } of this.#waiting) if (head.sequence >= sequence) resolve();
  }
}
