/** The token index as the walk feeds it. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { FinalizedBlock } from '@hindsight/indexing/finalized-logs.ts';
import type { RangeReading } from '@hindsight/indexing/range-reading.ts';
import type { RetryOptions } from '@hindsight/indexing/retry-transient.ts';
import type { AddOptions, WalkedIndex } from '@hindsight/indexing/walk.ts';
import type { WalkReporter } from '@hindsight/indexing/walk-reporter.ts';
import { setImmediate } from 'node:timers/promises';
import type { ContractsSeen } from '../domain/transfers.ts';
import type { Checkpoint } from '../ports.ts';
import type { ListReporter } from './list-reporter.ts';
import { lookAgain } from './look-again.ts';
import { RangePreparer, type PreparedRange, type PreparerDeps } from './prepare-range.ts';

interface ListedRangesDeps extends PreparerDeps {
  readonly reporter: WalkReporter;
  readonly list: ListReporter;
}

interface HeldRange extends BlockRange {
  readonly logs: number;
}

/** Tokens of an older version that are listed by the words in their names in one write. */
const WORDS_AT_ONCE = 100;
/** The longest time for which a range without anything new is held back. */
const HOLD_MS = 200;

/** Judges the contracts of ranges, and lists those that are tokens. */
export class ListedRanges implements WalkedIndex<ContractsSeen, PreparedRange, Checkpoint> {
  readonly #deps: ListedRangesDeps;
  readonly #preparer: RangePreparer;
  /** Ranges that are read and not written yet, from the checkpoint on; nothing in them is new. */
  #held: HeldRange | undefined;
  #writtenAt = -Infinity;

  constructor(deps: ListedRangesDeps) {
    this.#deps = deps;
    this.#preparer = new RangePreparer(deps);
  }

  async resume(signal: AbortSignal): Promise<Checkpoint | null> {
    this.#held = undefined;
    const { index, reporter, list } = this.#deps;
    let checkpoint = await index.resume();
    while (checkpoint !== null && checkpoint.words < checkpoint.count) {
      signal.throwIfAborted();
      reporter.report(
        'indexing',
        'tokens of an older version get onto the lists of the words in their names',
      );
      checkpoint = await index.addWords(checkpoint, WORDS_AT_ONCE);
      // Requests of the process are answered in between.
      await setImmediate();
    }
    list.listed(checkpoint);
    return checkpoint;
  }

  prepare(reading: RangeReading<ContractsSeen>, retry: RetryOptions): Promise<PreparedRange> {
    return this.#preparer.prepare(reading, retry);
  }

  /**
   * Ranges without anything new are held back and written with what follows, some times a second: what is lost with them
   * is reading them again.
   */
  async add(
    base: Checkpoint | null,
    prepared: PreparedRange,
    { isLast, signal }: AddOptions,
  ): Promise<Checkpoint | null> {
    const { index, reporter, list } = this.#deps;
    const additions = await this.#preparer.additions(prepared, signal);
    const range = { ...additions, from: this.#held?.from ?? additions.from };
    const logs = (this.#held?.logs ?? 0) + prepared.reading.count;
    const isNew = range.tokens.length > 0 || range.others.length > 0 || isLast;
    if (!isNew && performance.now() - this.#writtenAt < HOLD_MS) {
      this.#held = { from: range.from, to: range.to, logs };
      return base;
    }
    this.#held = undefined;
    const checkpoint = await index.append(base, range);
    this.#writtenAt = performance.now();
    this.#preparer.remember(prepared);
    reporter.applied(checkpoint, logs, range);
    list.added(checkpoint, range);
    return checkpoint;
  }

  async caughtUp(base: Checkpoint, finalized: FinalizedBlock, signal: AbortSignal): Promise<void> {
    await lookAgain(this.#deps, base, finalized, signal);
  }
}
