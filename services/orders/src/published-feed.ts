import { Job } from '@hindsight/kernel/job.ts';
import { setImmediate } from 'node:timers/promises';
import type { BatchEntry, PublishedHead, PublishedOrders } from './ports.ts';

/** Events that come within this time reach a reader in one write: single ones to hundreds of readers keep the gateway busy. */
const GATHERED_MS = 25;
/** Events that are read at a time. */
const READ_AT_ONCE = 100;
/** The latest events that are kept for all readers: more than come while one of them writes. */
const KEPT = 500;

/**
 * Follows the published orders for any number of readers. What is new is read once for all of them; only a reader that is far
 * behind has queries of its own.
 */
export class PublishedFeed {
  readonly #published: PublishedOrders;
  /** Looks for what is new; nudge it when something was published. */
  readonly job: Job;
  readonly #waiting = new Set<{ readonly sequence: number; readonly resolve: () => void }>();
  /** All events after `from` and up to `upTo`. */
  #latest:
    | { readonly entries: readonly BatchEntry[]; readonly from: number; readonly upTo: number }
    | undefined;
  #advancing: Promise<number> | undefined;

  /** @param lookEveryMs interval of the queries for newly published orders, while a reader waits */
  constructor(published: PublishedOrders, lookEveryMs: number) {
    this.#published = published;
    // Its readers report what fails.
    const work = (): Promise<void> => this.#look();
    this.job = new Job({ name: 'feed of orders', everyMs: lookEveryMs, gatherMs: GATHERED_MS, work });
  }

  head(): Promise<PublishedHead> {
    return this.#published.head();
  }

  /** The next events, in order; an empty list if none came within the time, or at the signal. */
  async next(after: number, withinMs: number, signal: AbortSignal): Promise<readonly BatchEntry[]> {
    const known = this.#keptAfter(after);
    if (known !== undefined) return known;
    const sequence = await this.#advance();
    if (sequence > after) {
      const entries = this.#keptAfter(after) ?? (await this.#published.read(after, sequence, READ_AT_ONCE));
      // The embedded store answers within this turn: a reader that passes over many orders of others would let nothing else run.
      await setImmediate();
      if (entries.length > 0) return entries;
    }
    // Sequences of removed orders, and those left out after a restore, have no events: asking again at once would never end.
    await this.reaches(Math.max(after, sequence) + 1, withinMs, signal);
    return [];
  }

  /** The next of the kept events; undefined where they do not continue from there. */
  #keptAfter(after: number): readonly BatchEntry[] | undefined {
    if (this.#latest === undefined || after < this.#latest.from || after >= this.#latest.upTo)
      return undefined;
    const { entries } = this.#latest;
    const begin = entries.findLastIndex(({ sequence }) => sequence <= after) + 1;
    return entries.slice(begin, begin + READ_AT_ONCE);
  }

  /** Reads what is new, once for all who ask meanwhile. @returns the sequence of the head */
  #advance(): Promise<number> {
    this.#advancing ??= this.#readOn().finally(() => (this.#advancing = undefined));
    return this.#advancing;
  }

  async #readOn(): Promise<number> {
    const { sequence: head } = await this.#published.head();
    const known = this.#latest;
    if (known === undefined || head < known.upTo || head - known.upTo > KEPT)
      this.#latest = { entries: [], from: head, upTo: head };
    else if (head > known.upTo) {
      const { entries, from, upTo } = known;
      const all = [...entries, ...(await this.#published.read(upTo, head, KEPT))];
      this.#latest = {
        entries: all.slice(-KEPT),
        from: all.at(-KEPT - 1)?.sequence ?? from,
        // Only as far as was read: the store may raise its head before it shows all events up to it.
        upTo: all.at(-1)?.sequence ?? upTo,
      };
    }
    return head;
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
    const head = await this.#advance();
    for (const { sequence, resolve } of this.#waiting) if (head >= sequence) resolve();
  }
}
