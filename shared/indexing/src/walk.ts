/** The job that feeds an index: one instance at a time, finalized blocks only, range by range. */
import type { Network } from '@hindsight/chain/networks.ts';
import { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { Job } from '@hindsight/kernel/job.ts';
import { backoff } from '@hindsight/kernel/retry.ts';
import type { FinalizedBlock, FinalizedLogs } from './finalized-logs.ts';
import { IndexHalted } from './halted.ts';
import type { LeasedIndex } from './lease.ts';
import { CheckpointConflict, type Position } from './position.ts';
import type { RangeReading } from './range-reading.ts';
import { readAhead } from './read-ahead.ts';
import type { RetryOptions } from './retry-transient.ts';
import type { WalkReporter } from './walk-reporter.ts';

/** Settings of a walk, unless others are given; times in milliseconds. */
export const WALK_DEFAULTS = {
  /** The first block of an empty index. */
  fromBlock: 0,
  /** Ranges under way at the same time. */
  inFlight: 4,
  /** Blocks to ask for at first, and the most. */
  firstBlocks: 64,
  maxBlocks: 10_000,
  /**
   * Events that one answer should have: few enough to be read and parsed in a few milliseconds, so that other requests of the
   * process are not held up.
   */
  events: 1_500,
  /** For one range of logs, which a node may answer slowly. */
  logsTimeoutMs: 20_000,
  /** Between looks for new finalized blocks. */
  pollMs: 6_000,
  /** The time that a silent instance keeps the lease. */
  leaseMs: 10_000,
  /** The longest pause after failures. */
  maxPauseMs: 30_000,
};

export type WalkSettings = Readonly<typeof WALK_DEFAULTS> & {
  /** The last block, which is finalized already; the walk follows the chain if not given. */
  readonly toBlock?: number;
};

/** The first block of a walk: as set, but not before the first block that nodes of the network answer for. */
export function firstToWalk(
  { firstBlock = 0 }: Network,
  { fromBlock }: Pick<WalkSettings, 'fromBlock'>,
): number {
  return Math.max(firstBlock, fromBlock);
}

export interface AddOptions {
  /** True if it ends with the last finalized block of this round. */
  readonly isLast: boolean;
  readonly signal: AbortSignal;
}

/** An index that a walk feeds. `Prepared` is its preparation of a range before those ahead of it are in. */
export interface WalkedIndex<Found, Prepared, At extends Position> {
  /**
   * The position, after completing the half-done work of a killed process. Drops everything kept back in
   * memory.
   */
  resume(signal: AbortSignal): Promise<At | null>;
  /** Prepares a range; ranges may be prepared in any order, several at a time. */
  prepare(reading: RangeReading<Found>, retry: RetryOptions): Promise<Prepared>;
  /**
   * Adds the range that follows all those added before. It may be kept back, and written with later ones,
   * unless it is the last one. Resolves to the position on disk. @throws {CheckpointConflict}
   */
  add(base: At | null, prepared: Prepared, options: AddOptions): Promise<At | null>;
  /** All finalized blocks are in. */
  caughtUp?(base: At, finalized: FinalizedBlock, signal: AbortSignal): Promise<void>;
}

export interface WalkDeps<Found, Prepared, At extends Position> extends Pick<Platform, 'clock' | 'logger'> {
  readonly index: WalkedIndex<Found, Prepared, At>;
  /** The store of that index, which keeps its lease. */
  readonly leased: LeasedIndex;
  readonly logs: FinalizedLogs<Found>;
  readonly reporter: WalkReporter;
  /** Unique to this instance. */
  readonly holder: string;
  readonly settings: WalkSettings;
}

/** The index belongs to another chain than the node's. */
class WrongChain extends IndexHalted {
  constructor({ number, hash }: Pick<Position, 'number' | 'hash'>, found: string) {
    super(
      `the index ends at block ${number} with hash ${hash}, where the node has ${found}: ` +
        'it belongs to another chain, or a node lied; indexing stops until the node agrees or the index is removed',
    );
  }
}

const FIRST_PAUSE_MS = 250;

/** Feeds an index, while this instance holds the lease. */
export class Walk<Found, Prepared, At extends Position> {
  readonly #deps: WalkDeps<Found, Prepared, At>;
  readonly #sizer: RangeSizer;
  readonly #job: Job;

  constructor(deps: WalkDeps<Found, Prepared, At>) {
    this.#deps = deps;
    const { firstBlocks, maxBlocks, events, pollMs, maxPauseMs } = deps.settings;
    this.#sizer = new RangeSizer({ first: firstBlocks, max: maxBlocks, events }, deps.clock);
    this.#job = new Job({
      name: `${deps.reporter.kind} index`,
      work: (signal) => this.#pass(signal),
      everyMs: pollMs,
      retryAfterMs: (failures, error) =>
        error instanceof IndexHalted ? maxPauseMs : backoff(failures, FIRST_PAUSE_MS, maxPauseMs),
    });
  }

  /** Begins; returns at once. */
  start(): void {
    this.#job.start();
  }

  /** Ends after the write under way, and lets another instance take over at once. */
  async stop(): Promise<void> {
    await this.#job.stop();
    // A lease that cannot be released runs out.
    await this.#deps.leased.release(this.#deps.holder).catch(() => undefined);
  }

  async #pass(signal: AbortSignal): Promise<void> {
    try {
      if (await this.#claim()) await this.#holdAndIndex(signal);
      else this.#deps.reporter.report('standing by', 'another instance indexes');
    } catch (error) {
      if (!signal.aborted) {
        this.#deps.reporter.fail(error);
        // Told now: the next round is the longest pause away.
        if (error instanceof IndexHalted) await this.#claim();
      }
      throw error;
    }
  }

  #claim(): Promise<boolean> {
    const { leased, clock, holder, reporter, settings } = this.#deps;
    const now = clock.now();
    return leased.claim({ holder, until: now + settings.leaseMs, status: reporter.status }, now);
  }

  /**
   * Runs a round, and renews the lease during it. A lost lease ends the round; the index refuses stale writes
   * itself.
   */
  async #holdAndIndex(signal: AbortSignal): Promise<void> {
    const lost = new AbortController();
    const renew = (): void => {
      const failed = (err: unknown): void =>
        this.#deps.logger.warn({ err }, 'the lease could not be renewed');
      this.#claim().then((held) => {
        if (!held) lost.abort(new CheckpointConflict());
      }, failed);
    };
    const timer = setInterval(renew, this.#deps.settings.leaseMs / 3);
    try {
      await this.#round(AbortSignal.any([signal, lost.signal]));
    } finally {
      clearInterval(timer);
    }
    await this.#claim();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { index, logs, reporter, settings } = this.#deps;
    let base = await index.resume(signal);
    const finalized = await logs.finalized(signal);
    if (finalized === null) return reporter.report('waiting', 'the chain has no finalized block yet');
    if (base !== null && !(await this.#verify(base, signal))) return;
    const first = base?.from ?? (await logs.firstFrom(settings.fromBlock, signal));
    const to = Math.min(finalized.number, settings.toBlock ?? Infinity);
    if (base === null && first > to) {
      const notYet = `block ${first}, the first that is wanted, is not final yet`;
      const notThere = `the node has no block before ${first}`;
      return reporter.report('waiting', first > finalized.number ? notYet : notThere);
    }
    const range = { from: base === null ? first : base.number + 1, to };
    reporter.begin(base, to, first > settings.fromBlock ? first : null);
    // The hash that the next range must follow: of the last one added, on disk or kept back.
    let end = base?.hash;
    for await (const { reading, prepared } of this.#ranges(range, signal)) {
      if (end !== undefined && reading.parentHash !== end)
        throw new WrongChain({ number: reading.from - 1, hash: end }, reading.parentHash);
      base = await index.add(base, prepared, { isLast: reading.to === range.to, signal });
      end = reading.hash;
      signal.throwIfAborted();
    }
    if (base !== null && base.number <= finalized.number) await index.caughtUp?.(base, finalized, signal);
    reporter.caughtUp();
  }

  #ranges(
    range: Parameters<typeof readAhead>[0],
    signal: AbortSignal,
  ): AsyncGenerator<{ readonly reading: RangeReading<Found>; readonly prepared: Prepared }> {
    const { index, logs, reporter, settings } = this.#deps;
    const onRetry = (error: unknown): void => reporter.retry(error);
    const options = { logs, sizer: this.#sizer, inFlight: settings.inFlight, signal, onRetry };
    return readAhead(
      range,
      async (reading: RangeReading<Found>) => ({ reading, prepared: await index.prepare(reading, options) }),
      options,
    );
  }

  /** False if the node does not know yet. @throws {WrongChain} */
  async #verify(base: Position, signal: AbortSignal): Promise<boolean> {
    const hash = await this.#deps.logs.hashAt(base.number, signal);
    if (hash === base.hash) return true;
    if (hash !== null) throw new WrongChain(base, hash);
    this.#deps.reporter.report('waiting', `the node has no block ${base.number}, where the index ends`);
    return false;
  }
}
