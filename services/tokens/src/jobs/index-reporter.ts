/** Reports the progress of the index: to the log, to meters, and beside the index for other processes. */
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import type { Attributes, Counter, Meter } from '@opentelemetry/api';
import { describeProgress, RateMeter, type IndexState, type IndexStatus } from '../domain/progress.ts';
import type { Checkpoint, IndexedRange } from '../ports.ts';

interface ReporterDeps {
  readonly logger: Logger;
  readonly meter: Meter;
  readonly clock: Clock;
  /** Its name goes with every measurement. */
  readonly network: string;
}

/** The minimum time between two progress lines in the log. */
const LINE_EVERY_MS = 10_000;
/** Fewer blocks than this get no progress lines. */
const WORTH_LINES = 1_000;

/** The reports of one indexer. */
export class IndexReporter {
  readonly #deps: ReporterDeps;
  readonly #counters: Readonly<Record<'blocks' | 'logs' | 'faults' | 'contracts', Counter>>;
  readonly #of: Attributes;
  readonly #rates = new RateMeter();
  #state: IndexState = 'starting';
  #detail = '';
  #finalized: number | null = null;
  #checkpoint: Checkpoint | null = null;
  #lineAt = 0;
  /** Where the list begins, if later than it should. */
  #lateStart: number | null = null;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
    const { meter, network } = deps;
    this.#of = { 'hindsight.network': network };
    const count = (name: string, description: string): Counter =>
      meter.createCounter(`hindsight_tokens_${name}`, { description });
    this.#counters = {
      blocks: count('indexed_blocks', 'Blocks added to the index'),
      logs: count('indexed_logs', 'Token events read'),
      faults: count('index_faults', 'Faults while indexing that were retried'),
      contracts: count('judged_contracts', 'Contracts found, by type'),
    };
    this.#gauge('indexed_block', 'The last block in the index', () => this.#checkpoint?.number);
    this.#gauge('finalized_block', 'The last finalized block of the chain', () => this.#finalized);
    this.#gauge('listed', 'Tokens in the list', () => this.#checkpoint?.count);
  }

  #gauge(name: string, description: string, read: () => number | null | undefined): void {
    const gauge = this.#deps.meter.createObservableGauge(`hindsight_tokens_${name}`, { description });
    gauge.addCallback((result) => {
      const value = read();
      if (value !== null && value !== undefined) result.observe(value, this.#of);
    });
  }

  /** The report stored next to the index. */
  get status(): IndexStatus {
    const { blocks, logs } = this.#rates.rate;
    return {
      state: this.#state,
      detail: [this.#detail, this.#startNote].filter((text) => text !== '').join('; '),
      finalized: this.#finalized,
      blocksPerSecond: blocks,
      logsPerSecond: logs,
      at: this.#deps.clock.now(),
    };
  }

  get #startNote(): string {
    if (this.#lateStart === null) return '';
    return `the list begins at block ${this.#lateStart}, the first that the node had`;
  }

  /** A state with its reason; logged when it is new. */
  report(state: IndexState, detail: string): void {
    const isNew = state !== this.#state || detail !== this.#detail;
    this.#state = state;
    this.#detail = detail;
    if (isNew) this.#deps.logger.info({ state, detail }, `token index: ${state}${detail && `: ${detail}`}`);
  }

  /** A round begins. @param lateStart where the list begins, if later than it should */
  begin(base: Checkpoint | null, finalized: number, lateStart: number | null): void {
    if (lateStart !== this.#lateStart) {
      this.#lateStart = lateStart;
      if (lateStart !== null) this.#deps.logger.warn({ block: lateStart }, this.#startNote);
    }
    this.#checkpoint = base;
    this.#finalized = finalized;
    const behind = finalized - (base?.number ?? 0);
    this.report(behind > WORTH_LINES ? 'indexing' : 'following', '');
    if (base !== null) this.#rates.note(this.#deps.clock.now(), base.number, 0);
  }

  /** A range is in the index. */
  applied(checkpoint: Checkpoint, logs: number, { from, to, tokens, others }: IndexedRange): void {
    const now = this.#deps.clock.now();
    this.#checkpoint = checkpoint;
    this.#detail = '';
    this.#rates.note(now, checkpoint.number, logs);
    this.#counters.blocks.add(to - from + 1, this.#of);
    this.#counters.logs.add(logs, this.#of);
    for (const { type } of tokens) this.#counters.contracts.add(1, { ...this.#of, type });
    this.#counters.contracts.add(others.length, { ...this.#of, type: 'none' });
    if (this.#state !== 'indexing' || now - this.#lineAt < LINE_EVERY_MS) return;
    this.#lineAt = now;
    const line = describeProgress(checkpoint.number, this.status);
    this.#deps.logger.info({ block: checkpoint.number, tokens: checkpoint.count }, `token index: ${line}`);
  }

  /** All finalized blocks are in the index. */
  caughtUp(): void {
    if (this.#state === 'indexing') {
      const { number, count } = this.#checkpoint ?? {};
      this.#deps.logger.info({ block: number, tokens: count }, 'token index: all finalized blocks are in');
      this.#rates.reset();
    }
    this.#state = 'following';
    this.#detail = '';
  }

  /** A fault that is retried soon. */
  retry(error: unknown): void {
    this.#counters.faults.add(1, this.#of);
    this.#detail = error instanceof Error ? error.message : String(error);
    this.#deps.logger.debug({ err: error }, 'a range is read again');
  }

  /** A fault after which the indexer pauses. */
  fail(error: unknown): void {
    this.#counters.faults.add(1, this.#of);
    const halted = error instanceof Error && error.name === 'WrongChain';
    const state = halted ? 'halted' : 'waiting';
    const detail = error instanceof Error ? error.message : String(error);
    if (state !== this.#state || detail !== this.#detail)
      this.#deps.logger[halted ? 'error' : 'warn']({ err: error }, `token index: ${state}`);
    this.#state = state;
    this.#detail = detail;
  }
}
