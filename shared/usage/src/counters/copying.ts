/**
 * Keeps a copy of the counters behind the ledger, in the process that counts. Each batch is copied before its
 * events are acknowledged: a process killed in between gets them again. If the copy fails, the ledger notes
 * the records, also before the acknowledgement, and any process copies them later. Only then is the copy
 * vouched for again.
 */
import type { Clock } from '@hindsight/kernel/clock.ts';
import { Job } from '@hindsight/kernel/job.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import type { CountingProgress } from '../counting/ports.ts';
import type { CountedRecords, CounterCopy, CounterPublisher, Epoch } from './ports.ts';
import type { RecordName } from '../calendar.ts';

const VOUCH_EVERY_MS = 1_000;
const NOTED_AT_ONCE = 500;

interface Deps {
  readonly copy: Pick<CounterCopy, 'put' | 'vouch'>;
  readonly records: CountedRecords;
  readonly progress: Pick<CountingProgress, 'countedTo'>;
  readonly clock: Clock;
  /** The copy took nothing, or took something again. */
  readonly onFailure: (error: unknown) => void;
  readonly onSuccess: () => void;
}

/** One for each process that counts. */
export class CounterCopying implements CounterPublisher {
  readonly #deps: Deps;
  readonly #job: Job;
  #epoch: Epoch | undefined;
  /** The copy has failed since it was last vouched for. */
  #failing = true;
  #completeAt: number;
  #countedTo: number | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#completeAt = deps.clock.now();
    this.#job = new Job({
      name: 'copying of counters',
      work: () => this.#keepUp(),
      everyMs: VOUCH_EVERY_MS,
      retryAfterMs: () => VOUCH_EVERY_MS,
    });
  }

  start(): void {
    this.#job.start();
  }

  async stop(): Promise<void> {
    await this.#job.stop();
  }

  /** Seconds since the copy was last known to have all that was counted. */
  get age(): number {
    return Math.max(this.#deps.clock.now() - this.#completeAt, 0) / 1_000;
  }

  async publish(records: readonly RecordName[]): Promise<void> {
    // While the copy fails, reading the ledger would be useless.
    if (this.#failing || !(await this.#copy(records))) await this.#deps.records.note(records);
  }

  /** True if the copy has the ledger's counters. */
  async #copy(records: readonly RecordName[]): Promise<boolean> {
    const { records: ledger, copy, onFailure } = this.#deps;
    if (this.#epoch === undefined) return false;
    const months = await ledger.readMany(records);
    try {
      await copy.put(months, this.#epoch.number);
      return true;
    } catch (error) {
      this.#failing = true;
      onFailure(error);
      return false;
    }
  }

  /**
   * One pass: copies the noted records, then vouches for the copy. @returns whether more may be due at once
   */
  async #keepUp(): Promise<boolean> {
    const begun = this.#deps.clock.now();
    // Before it vouches for the first time: readers then know as of when the copy is complete.
    await this.#noteProgress();
    if (this.#epoch === undefined) await this.#vouch();
    const caughtUp = await this.#catchUp();
    if (caughtUp === 'more') return true;
    // While the ledger does not answer, nothing is counted either: a complete copy stays complete.
    if (caughtUp === 'unknown' && this.#failing) return false;
    await this.#vouch();
    this.#failing = false;
    if (caughtUp === 'all') this.#completeAt = begun;
    return false;
  }

  async #vouch(): Promise<void> {
    const { copy, onFailure, onSuccess } = this.#deps;
    try {
      this.#epoch = await copy.vouch(this.#epoch, this.#countedTo);
      onSuccess();
    } catch (error) {
      this.#failing = true;
      onFailure(error);
      throw error;
    }
  }

  /** Read before the copy catches up: everything counted by then will be in it. */
  async #noteProgress(): Promise<void> {
    try {
      this.#countedTo = await this.#deps.progress.countedTo();
    } catch (error) {
      // An earlier moment is as true.
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  async #catchUp(): Promise<'all' | 'more' | 'unknown'> {
    const { records } = this.#deps;
    try {
      const noted = await records.noted(NOTED_AT_ONCE);
      if (noted.length === 0) return 'all';
      if (!(await this.#copy(noted))) throw new Error('the copy took nothing');
      await records.forget(noted);
      return noted.length === NOTED_AT_ONCE ? 'more' : 'all';
    } catch (error) {
      if (error instanceof StoreUnavailable) return 'unknown';
      throw error;
    }
  }
}
