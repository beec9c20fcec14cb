/** The self-check as a job, with its metrics. */
import { Job } from '@hindsight/kernel/job.ts';
import type { Attributes, Meter } from '@opentelemetry/api';
import type { Track } from '../domain/tracks.ts';
import { checkTrack, type CheckOutcome, type SelfCheckDeps } from './self-check.ts';

export interface CheckIndexDeps extends SelfCheckDeps {
  readonly meter: Meter;
  readonly network: string;
  /** At most this many a minute. */
  readonly perMinute: number;
  /** The tracks that are walked here. */
  readonly tracks: () => readonly Track[];
}

const CHECK_WITHIN_MS = 30_000;

/** A job, and what it has found so far. */
export interface IndexChecks {
  readonly job: Job;
  /** One line for people, about one track or all. Undefined where a track has not been compared. */
  describe(track?: Track): string | undefined;
}

/** Checks one track at random a time. Not yet running. */
export function checkIndex(deps: CheckIndexDeps): IndexChecks {
  const { meter, network, tracks, perMinute, random, logger } = deps;
  const of: Attributes = { 'hindsight.network': network };
  const checks = meter.createCounter('hindsight_holders_checks', {
    description: 'Comparisons of the index of holders with the chain',
  });
  const differences = meter.createCounter('hindsight_holders_check_differences', {
    description: 'Points by which the index of holders differed from the chain',
  });
  const sums = meter.createCounter('hindsight_holders_sum_differences', {
    description: 'Lists of holders whose sum was not the total supply',
  });
  // A counter that is there from the start shows its first increase.
  for (const counter of [checks, differences, sums]) counter.add(0, of);
  const all = new Tally();
  const ofTracks = new Map<Track, Tally>();
  const note = (outcome: CheckOutcome): void => {
    const { track, missing, surplus, sum } = outcome;
    all.add(outcome);
    ofTracks.set(track, (ofTracks.get(track) ?? new Tally()).add(outcome));
    checks.add(1, of);
    differences.add(missing + surplus, of);
    if (sum === null || sum.sum === sum.supply) return;
    sums.add(1, of);
    logger.warn(sum, 'the holders of a token do not add up to its supply');
  };
  const everyMs = 60_000 / perMinute;
  const job = new Job({
    name: 'self-check of the index of holders',
    async work(stopped) {
      const walked = tracks();
      const track = walked[Math.floor(random() * walked.length)];
      if (track === undefined) return;
      const signal = AbortSignal.any([stopped, AbortSignal.timeout(CHECK_WITHIN_MS)]);
      const outcome = await checkTrack(deps, track, signal);
      if (outcome !== null) note(outcome);
    },
    firstAfterMs: everyMs,
    everyMs,
    logger,
  });
  return { job, describe: (track) => (track === undefined ? all : ofTracks.get(track))?.describe() };
}

/** Counts of comparisons. */
class Tally {
  #checks = 0;
  #points = 0;
  #differences = 0;
  #sums = 0;
  #otherSums = 0;

  add({ points, missing, surplus, sum }: CheckOutcome): this {
    this.#checks += 1;
    this.#points += points;
    this.#differences += missing + surplus;
    if (sum === null) return this;
    this.#sums += 1;
    if (sum.sum !== sum.supply) this.#otherSums += 1;
    return this;
  }

  describe(): string {
    if (this.#checks === 0) return 'not compared with the chain yet';
    const words = [`${this.#checks} comparisons with the chain, ${this.#points} points`];
    words.push(this.#differences === 0 ? 'no difference' : `${this.#differences} DIFFERENCES`);
    if (this.#sums > 0) words.push(`${this.#sums - this.#otherSums} of ${this.#sums} sums are the supply`);
    return words.join(', ');
  }
}
