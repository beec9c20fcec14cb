/** Does what the administration wishes of the tracks, and tells it how far each of them is. */
import { Job } from '@hindsight/kernel/job.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { isPart, trackOfPart } from '../domain/track-parts.ts';
import { MAX_TOKENS, type Track } from '../domain/tracks.ts';
import type { HolderIndex, TrackBook, TrackReport, TrackWish } from '../ports.ts';
import type { Walks } from '../walks.ts';

export interface FollowBookDeps extends Pick<Platform, 'clock' | 'ids' | 'logger'> {
  readonly book: TrackBook;
  readonly index: HolderIndex;
  readonly walks: Walks;
  /** Those of the settings. */
  readonly set: readonly Track[];
  /** The outcome of the self-check of a track; undefined before the first. */
  readonly checked: (track: Track) => string | undefined;
}

const EVERY_MS = 2_000;
/** Long enough for every other instance to notice that a track is gone, before it could walk it again. */
const LEASE_MS = 15_000;

/** A report this old belongs to no running instance. */
const SILENT_MS = 10_000;

/** The job, not yet running. */
export function followBook(deps: FollowBookDeps): Job {
  const holder = deps.ids.next();
  const refused = new Set<Track>();
  return new Job({
    name: 'tracks of the index of holders',
    work: () => pass(deps, holder, refused),
    everyMs: EVERY_MS,
    retryAfterMs: () => EVERY_MS,
    logger: deps.logger,
  });
}

/** One round. @param holder of this instance, for leases @param refused tracks that the log has told of */
async function pass(deps: FollowBookDeps, holder: string, refused: Set<Track>): Promise<void> {
  const { book, walks, set, logger } = deps;
  const wishes = await book.wishes();
  const wanted = wishes.filter(({ wish }) => wish === 'index');
  for (const track of walks.tracks)
    if (!set.includes(track) && !wanted.some((one) => one.track === track)) await walks.end(track);
  for (const { track, fromBlock } of wanted) {
    if (set.includes(track) || walks.beginsBy(track, fromBlock)) continue;
    await walks.end(track);
    if (walks.tracks.length >= MAX_TOKENS) {
      if (!refused.has(track))
        logger.warn({ track }, `the index has ${MAX_TOKENS} tracks, the most: this one is not added`);
      refused.add(track);
      continue;
    }
    refused.delete(track);
    logger.info({ track, fromBlock }, 'a track was added to the index of holders');
    walks.begin(track, fromBlock);
  }
  for (const wish of wishes) if (wish.wish === 'remove') await remove(deps, wish, holder);
  await report(deps);
  await correctOld(deps);
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

async function report({ book, index, walks, set, clock, checked }: FollowBookDeps): Promise<void> {
  const reports: TrackReport[] = [];
  for (const track of new Set([...walks.tracks, ...walks.running])) {
    const reporter = walks.reporterOf(track);
    // An instance that stands by has nothing to say about the index.
    if (reporter === undefined || reporter.status.state === 'standing by') continue;
    const found = reporter.position ?? (await index.position(track));
    const position = found === null ? null : { from: found.from, number: found.number };
    const isSet = set.includes(trackOfPart(track));
    const { status } = reporter;
    reports.push({ track, isSet, position, status, checked: checked(track) ?? null, at: clock.now() });
  }
  await book.report(reports);
}

/** Forgets the reports of parts that have joined their track, and lets tracks be removed that the settings no longer name. */
async function correctOld({ book, walks, set, clock }: FollowBookDeps): Promise<void> {
  for (const old of await book.reports()) {
    if (clock.now() - old.at < SILENT_MS || walks.reporterOf(old.track) !== undefined) continue;
    if (isPart(old.track)) await book.forget(old.track);
    else if (old.isSet && !set.includes(old.track)) await book.report([{ ...old, isSet: false }]);
  }
}
