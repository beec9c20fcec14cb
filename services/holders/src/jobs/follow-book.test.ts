/** The removal of a track, which other instances may still be writing. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openSqliteTrackBook } from '../adapters/sqlite-track-book.ts';
import type { HolderIndex, TrackBook } from '../ports.ts';
import type { Walks } from '../walks.ts';
import { followBook } from './follow-book.ts';

const TRACK = `0x${'aa'.repeat(20)}`;
const logger = createLogger({ name: 'test', level: 'silent' });
let lifecycle: Lifecycle;
let book: TrackBook;
beforeEach(() => {
  lifecycle = createLifecycle(logger);
  book = openSqliteTrackBook(':memory:', lifecycle);
});
afterEach(() => lifecycle.shutdown('the end of the test'));

/** Runs a round over an index whose lease is free, or not. @returns the tracks that were removed */
async function round(isFree: boolean): Promise<readonly string[]> {
  const removed: string[] = [];
  const index = { claim: async () => isFree, remove: async (track: string) => void removed.push(track) };
  const walks = { tracks: [], running: [], end: async () => undefined, reporterOf: () => undefined };
  let rounds = 0;
  const counted: TrackBook = {
    ...book,
    reports: async () => {
      rounds += 1;
      return book.reports();
    },
  };
  const job = followBook({
    ...{ book: counted, set: [], logger, clock: { now: () => 1_000 }, ids: { next: () => 'one' } },
    ...{ index: index as unknown as HolderIndex, walks: walks as unknown as Walks, checked: () => undefined },
  });
  job.start();
  await until('a round is over', () => rounds > 0);
  await job.stop();
  return removed;
}

it('waits until no other instance writes the track', async () => {
  await book.wish({ track: TRACK, wish: 'remove', fromBlock: 0 });
  expect([await round(false), await book.wishes()]).toMatchObject([[], [{ track: TRACK }]]);
  expect([await round(true), await book.wishes()]).toEqual([[TRACK], []]);
});
