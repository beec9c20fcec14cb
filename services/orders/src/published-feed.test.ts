import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { turnsDuring } from '@hindsight/kernel/test/support/turns-during.ts';
import { getEventListeners } from 'node:events';
import type { BatchEntry, PublishedOrders } from './ports.ts';
import { PublishedFeed } from './published-feed.ts';

const READERS = 50;
const WITHIN_MS = 10_000;

let entries: BatchEntry[];
let queries: { heads: number; reads: number };
/** A sequence that is not shown: not yet, or no longer. */
let hidden: number | undefined;
let feed: PublishedFeed;
const never = new AbortController().signal;

const published: PublishedOrders = {
  async head() {
    queries.heads++;
    return { source: '/orders/x', sequence: entries.at(-1)?.sequence ?? 0 };
  },
  async read(after, upTo, limit) {
    queries.reads++;
    const shown = entries.filter(({ sequence }) => sequence !== hidden);
    return shown.filter(({ sequence }) => sequence > after && sequence <= upTo).slice(0, limit);
  },
};

function publish(count: number): void {
  for (let i = 0; i < count; i++)
    entries.push({ sequence: (entries.at(-1)?.sequence ?? 0) + 1 } as unknown as BatchEntry);
  feed.job.nudge();
}

/** Reads until a sequence. @returns all sequences that came */
async function readTo(last: number, after: number): Promise<readonly number[]> {
  const seen: number[] = [];
  while ((seen.at(-1) ?? after) < last) {
    const some = await feed.next(seen.at(-1) ?? after, WITHIN_MS, never);
    seen.push(...some.map(({ sequence }) => sequence));
  }
  return seen;
}

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

beforeEach(() => {
  entries = [];
  hidden = undefined;
  queries = { heads: 0, reads: 0 };
  feed = new PublishedFeed(published, 250);
  feed.job.start();
});
afterEach(() => feed.job.stop());

describe('the feed of published orders', () => {
  it('reads what is new once for all readers', async () => {
    publish(10);
    const begun = Array.from({ length: READERS }, () => readTo(30, 10));
    await new Promise((done) => setImmediate(done));
    queries = { heads: 0, reads: 0 };
    publish(20);
    for (const seen of await Promise.all(begun)) expect(seen).toEqual(from(11, 30));
    expect(queries.reads).toBe(1);
    expect(queries.heads).toBeLessThan(READERS);
  });

  it('gives each reader all behind its place, however far behind it is', async () => {
    publish(1);
    await readTo(1, 0);
    publish(2_000);
    await readTo(2_001, 1_900);
    publish(700);
    await readTo(2_701, 2_001);
    for (const after of [0, 1, 1_500, 2_000, 2_001, 2_200, 2_201, 2_202, 2_700])
      expect(await readTo(2_701, after)).toEqual(from(after + 1, 2_701));
    publish(300);
    for (const after of [2_701, 2_500, 2_501, 0])
      expect(await readTo(3_001, after)).toEqual(from(after + 1, 3_001));
    // With these, more are read than are kept: the first of them go.
    publish(300);
    for (const after of [3_001, 2_701, 2_800, 2_801])
      expect(await readTo(3_301, after)).toEqual(from(after + 1, 3_301));
  });

  it('passes over no event that a store shows later than its head', async () => {
    publish(1);
    await readTo(1, 0);
    publish(3);
    hidden = 4;
    expect(await feed.next(1, WITHIN_MS, never)).toHaveLength(2);
    hidden = undefined;
    publish(1);
    expect(await readTo(5, 3)).toEqual([4, 5]);
  });

  it('waits for the next event where those behind a place are no longer kept', async () => {
    publish(1);
    hidden = 1;
    const reading = feed.next(0, WITHIN_MS, never);
    const first = () => Promise.race([reading, new Promise((turn) => setTimeout(turn, 0, 'waits'))]);
    expect(await first()).toBe('waits');
    // Nor does a look that finds the same head give it another turn.
    const { heads } = queries;
    feed.job.nudge();
    await until('it has looked', () => queries.heads > heads);
    expect(await first()).toBe('waits');
    publish(1);
    expect(await reading).toEqual([]);
    expect(await readTo(2, 0)).toEqual([2]);
  });

  it('lets others run while a reader reads on from far behind', async () => {
    publish(1_000);
    expect(await turnsDuring(readTo(1_000, 0))).toBeGreaterThanOrEqual(10);
  });

  it('begins at the head where it is far behind, so that readers there need no queries of their own', async () => {
    publish(1);
    await readTo(1, 0);
    publish(3_000);
    await readTo(3_001, 3_000);
    queries = { heads: 0, reads: 0 };
    publish(1);
    await readTo(3_002, 3_001);
    expect(queries.reads).toBe(1);
  });

  it('is not waited for by a reader who has left', async () => {
    const reached = feed.reaches(1, WITHIN_MS, AbortSignal.abort()).then(() => 'left');
    expect(await Promise.race([reached, new Promise((turn) => setImmediate(turn, 'waits'))])).toBe('left');
  });

  it('keeps nothing of a reader whose time is over', async () => {
    const { signal } = new AbortController();
    const removed = jest.spyOn(signal, 'removeEventListener');
    await feed.reaches(1, 0, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const other = feed.reaches(1, WITHIN_MS, never);
    publish(1);
    await other;
    // The look that ended the other's waiting did not end this one's again.
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it('begins again where a store has less than before', async () => {
    publish(20);
    await readTo(20, 0);
    publish(5);
    await readTo(25, 20);
    entries.length = 10;
    const reading = readTo(12, 10);
    publish(2);
    expect(await reading).toEqual([11, 12]);
    // The kept ones of before are forgotten.
    publish(9);
    expect(await readTo(21, 20)).toEqual([21]);
  });
});
