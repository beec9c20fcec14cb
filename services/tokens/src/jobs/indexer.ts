/** The job that keeps the list: one instance at a time, finalized blocks only, range by range. */
import { RangeSizer } from '@hindsight/chain/logs/range-sizer.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { Job } from '@hindsight/kernel/job.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { backoff } from '@hindsight/kernel/retry.ts';
import type { RangeReading } from '../domain/transfers.ts';
import { CheckpointConflict, type Checkpoint, type FinalizedBlock, type TokenIndex } from '../ports.ts';
import type { TokenJudge, TransferLogs } from '../ports.ts';
import type { IndexReporter } from './index-reporter.ts';
import { lookAgain } from './look-again.ts';
import { RangePreparer, type PreparedRange } from './prepare-range.ts';
import { readAhead } from './read-ahead.ts';

/** How the job goes about it; times in milliseconds. */
export interface IndexerSettings {
  /** The first block that is indexed where nothing is yet. */
  readonly fromBlock: number;
  /** Ranges under way at the same time. */
  readonly inFlight: number;
  /** Blocks to ask for at first, and the most. */
  readonly firstBlocks: number;
  readonly maxBlocks: number;
  /** Events that one answer should have. */
  readonly events: number;
  /** For one range of logs, with which a node may be slow. */
  readonly logsTimeoutMs: number;
  /** Between looks for new finalized blocks. */
  readonly pollMs: number;
  /** How long a silent instance keeps the lease. */
  readonly leaseMs: number;
  /** The longest pause after failures. */
  readonly maxPauseMs: number;
  /** Blocks after which a token without a name is looked at again. */
  readonly lookAgainAfter: readonly number[];
}

export interface IndexerDeps {
  readonly index: TokenIndex;
  readonly logs: TransferLogs;
  readonly judge: TokenJudge;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly reporter: IndexReporter;
  /** Unique to this instance. */
  readonly holder: string;
  readonly settings: IndexerSettings;
}

/** The index belongs to another chain than the node's. */
class WrongChain extends Error {
  override readonly name = 'WrongChain';

  constructor({ number, hash }: Checkpoint, found: string) {
    super(
      `the index ends at block ${number} with hash ${hash}, where the node has ${found}: ` +
        'it belongs to another chain, or a node lied; indexing stops until the node agrees or the index is removed',
    );
  }
}

interface HeldRange {
  readonly from: number;
  readonly number: number;
  readonly hash: string;
  readonly logs: number;
}

/** The longest time for which a range without anything new is held back. */
const HOLD_MS = 200;
const FIRST_PAUSE_MS = 250;
/** A finalized block counts as recent for this long. */
const RECENT_MS = 30_000;

/** Keeps the index, while this instance holds the lease. */
export class Indexer {
  readonly #deps: IndexerDeps;
  readonly #sizer: RangeSizer;
  readonly #preparer: RangePreparer;
  readonly #job: Job;
  #recent: { readonly block: FinalizedBlock; readonly at: number } | undefined;
  /** Ranges that are read and not written yet, from the checkpoint on; nothing in them is new. */
  #held: HeldRange | undefined;
  #writtenAt = -Infinity;

  constructor(deps: IndexerDeps) {
    this.#deps = deps;
    const { index, judge, clock, settings } = deps;
    const { firstBlocks, maxBlocks, events } = settings;
    this.#sizer = new RangeSizer({ first: firstBlocks, max: maxBlocks, events }, clock);
    const recent = (signal: AbortSignal): Promise<FinalizedBlock> => this.#recentBlock(signal);
    this.#preparer = new RangePreparer({ index, judge, recent, lookAgainAfter: settings.lookAgainAfter });
    const { pollMs, maxPauseMs } = settings;
    this.#job = new Job({
      name: 'token index',
      work: (signal) => this.#pass(signal),
      everyMs: Math.min(pollMs, maxPauseMs),
      retryAfterMs: (failures, error) =>
        error instanceof WrongChain ? maxPauseMs : backoff(failures, FIRST_PAUSE_MS, maxPauseMs),
    });
  }

  /** Begins; returns at once. */
  start(): void {
    this.#job.start();
  }

  /** Ends after the write under way, and lets another instance take over at once. */
  async stop(): Promise<void> {
    await this.#job.stop();
    await this.#deps.index.release(this.#deps.holder);
  }

  async #pass(signal: AbortSignal): Promise<void> {
    try {
      if (await this.#claim()) await this.#holdAndIndex(signal);
      else this.#deps.reporter.report('standing by', 'another instance indexes');
    } catch (error) {
      if (!signal.aborted) this.#deps.reporter.fail(error);
      throw error;
    }
  }

  #claim(): Promise<boolean> {
    const { index, clock, holder, reporter, settings } = this.#deps;
    const now = clock.now();
    return index.claim({ holder, until: now + settings.leaseMs, status: reporter.status }, now);
  }

  /** A round, with the lease renewed meanwhile. If it is lost the round ends; the index refuses stale writes itself. */
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
    const { index, logs, reporter, settings, judge } = this.#deps;
    this.#held = undefined;
    let base = await index.resume();
    const finalized = await logs.finalized(signal);
    if (finalized === null) return reporter.report('waiting', 'the chain has no finalized block yet');
    this.#recent = { block: finalized, at: this.#deps.clock.now() };
    if (base !== null && !(await this.#verify(base, signal))) return;
    const first = base?.from ?? (await logs.firstFrom(settings.fromBlock, signal));
    const range = { from: base === null ? first : base.number + 1, to: finalized.number };
    reporter.begin(base, finalized.number, first > settings.fromBlock ? first : null);
    const options = this.#readAheadOptions(signal);
    const prepare = (reading: RangeReading): Promise<PreparedRange> =>
      this.#preparer.prepare(reading, options);
    for await (const prepared of readAhead(range, prepare, options)) {
      base = await this.#apply(base, prepared, { last: range.to, signal });
      signal.throwIfAborted();
    }
    if (base !== null && base.number <= finalized.number)
      await lookAgain({ index, judge, lookAgainAfter: settings.lookAgainAfter }, base, finalized, signal);
    reporter.caughtUp();
  }

  #readAheadOptions(signal: AbortSignal): Parameters<typeof readAhead>[2] {
    const { logs, reporter, settings } = this.#deps;
    const onRetry = (error: unknown): void => reporter.retry(error);
    return { logs, sizer: this.#sizer, inFlight: settings.inFlight, signal, onRetry };
  }

  /** False if the node does not know yet. @throws {WrongChain} */
  async #verify(base: Checkpoint, signal: AbortSignal): Promise<boolean> {
    const hash = await this.#deps.logs.hashAt(base.number, signal);
    if (hash === base.hash) return true;
    if (hash !== null) throw new WrongChain(base, hash);
    this.#deps.reporter.report('waiting', `the node has no block ${base.number}, where the index ends`);
    return false;
  }

  /**
   * Adds a range. Ranges without anything new are held back and written with what follows, some times a second: what
   * is lost with them is reading them again.
   */
  async #apply(
    base: Checkpoint | null,
    prepared: PreparedRange,
    { last, signal }: { readonly last: number; readonly signal: AbortSignal },
  ): Promise<Checkpoint | null> {
    const { reading } = prepared;
    const before = this.#held ?? base;
    if (base !== null && before !== null && reading.parentHash !== before.hash)
      throw new WrongChain(base, reading.parentHash);
    const settled = await this.#preparer.settle(prepared, signal);
    const range = { ...settled, from: this.#held?.from ?? settled.from };
    const logs = (this.#held?.logs ?? 0) + reading.count;
    const isNew = range.tokens.length > 0 || range.others.length > 0 || range.to === last;
    if (!isNew && performance.now() - this.#writtenAt < HOLD_MS) {
      this.#held = { from: range.from, number: range.to, hash: range.hash, logs };
      return base;
    }
    this.#held = undefined;
    const checkpoint = await this.#deps.index.append(base, range);
    this.#writtenAt = performance.now();
    this.#preparer.remember(prepared);
    this.#deps.reporter.applied(checkpoint, logs, range);
    return checkpoint;
  }

  async #recentBlock(signal: AbortSignal): Promise<FinalizedBlock> {
    const now = this.#deps.clock.now();
    if (this.#recent !== undefined && now - this.#recent.at < RECENT_MS) return this.#recent.block;
    const block = await this.#deps.logs.finalized(signal);
    if (block === null) throw new Error('the chain had a finalized block and has none any more');
    this.#recent = { block, at: now };
    return block;
  }
}
