/** Does what the administration wishes of the tracks, and tells it how far each of them is. */
import { Job } from '@hindsight/kernel/job.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { MAX_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TrackBook, TrackReport, TrackWish } from '../ports.ts';
import type { Walks } from '../walks.ts';

export interface FollowBookDeps {
  readonly book: TrackBook;
  readonly index: HolderIndex;
  readonly walks: Walks;
  /** Those of the settings. */
  readonly set: readonly Track[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
}

const EVERY_MS = 2_000;
/** Long enough for every other instance to notice that a track is gone, before it could walk it again. */
const LEASE_MS = 15_000;

/** The job, not yet running. */
export function followBook(deps: FollowBookDeps): Job {
  const holder = deps.ids.next();
  return new Job({
    name: 'tracks of the index of holders',
    work: () => pass(deps, holder),
    everyMs: EVERY_MS,
    retryAfterMs: () => EVERY_MS,
    logger: deps.logger,
  });
}

/** One round. @param holder of this instance, for leases */
async function pass(deps: FollowBookDeps, holder: string): Promise<void> {
  const { book, walks, set, logger } = deps;
  const wishes = await book.wishes();
  const wanted = wishes.filter(({ wish }) => wish === 'index');
  for (const track of walks.tracks)
    if (!set.includes(track) && !wanted.some((one) => one.track === track)) await walks.end(track);
  for (const { track, fromBlock } of wanted) {
    if (walks.reporterOf(track) !== undefined || set.includes(track)) continue;
    if (walks.tracks.length >= MAX_TOKENS) {
      logger.warn({ track }, `the index has ${MAX_TOKENS} tracks, the most: this one is not added`);
      continue;
    }
    logger.info({ track, fromBlock }, 'a track was added to the index of holders');
    walks.begin(track, fromBlock);
  }
  for (const wish of wishes) if (wish.wish === 'remove') await remove(deps, wish, holder);
  await report(deps);
}

async function remove(deps: FollowBookDeps, { track }: TrackWish, holder: string): Promise<void> {
  const { book, index, walks, set, clock, logger } = deps;
  if (set.includes(track)) {
    logger.warn({ track }, 'a track that INDEX_TOKENS names is not removed');
    return book.forget(track);
  }
  await walks.end(track);
  // Another instance may be at its last write; the next round tries again.
  const now = clock.now();
  const status = {
    state: 'halted',
    detail: 'the track is being removed',
    finalized: null,
    blocksPerSecond: 0,
    logsPerSecond: 0,
    at: now,
  } as const;
  if (!(await index.claim(track, { holder, until: now + LEASE_MS, status }, now))) return;
  await index.remove(track);
  await book.forget(track);
  logger.info({ track }, 'a track was removed from the index of holders');
}

async function report({ book, index, walks, set, clock }: FollowBookDeps): Promise<void> {
  const reports: TrackReport[] = [];
  for (const track of walks.tracks) {
    const reporter = walks.reporterOf(track);
    // An instance that stands by has nothing to say about the index.
    if (reporter === undefined || reporter.status.state === 'standing by') continue;
    const found = reporter.position ?? (await index.position(track));
    const position = found === null ? null : { from: found.from, number: found.number };
    reports.push({ track, isSet: set.includes(track), position, status: reporter.status, at: clock.now() });
  }
  await book.report(reports);
}
