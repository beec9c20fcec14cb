/** Reports the progress of an index: to the log, to meters, and next to the index for other processes. */
import type { BlockRange } from '@hindsight/chain/logs/block-range.ts';
import type { Platform } from '@hindsight/kernel/platform.ts';
import type { Attributes, Counter, Meter, ObservableResult } from '@opentelemetry/api';
import { IndexHalted } from './halted.ts';
import type { Position } from './position.ts';
import { describeProgress, RateMeter, type IndexState, type IndexStatus } from './progress.ts';

interface ReporterDeps extends Pick<Platform, 'clock' | 'logger'> {
  /** Subject of the index, for the log: `token`. */
  readonly kind: string;
  /** Prefix of its metrics: `hindsight_tokens`. */
  readonly prefix: string;
  readonly meter: Meter;
  /** Its name goes with every measurement. */
  readonly network: string;
  /** Names the part of the index, where it has several walks; goes with every measurement too. */
  readonly part?: string;
}

/** The minimum time between two progress lines in the log. */
const LINE_EVERY_MS = 10_000;
/** Fewer blocks than this get no progress lines. */
const WORTH_LINES = 1_000;

export class WalkReporter {
  readonly #deps: ReporterDeps;
  readonly #counters: Readonly<Record<'blocks' | 'logs' | 'faults', Counter>>;
  readonly #of: Attributes;
  readonly #rates = new RateMeter();
  #state: IndexState = 'starting';
  #detail = '';
  #finalized: number | null = null;
  #position: Position | null = null;
  #lineAt = 0;
  #hasCaughtUp = false;
  #isClosed = false;
  /** First block of the index, if later than it should be. */
  #lateStart: number | null = null;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
    const { meter, prefix, kind, network, part } = deps;
    this.#of = {
      'hindsight.network': network,
      ...(part === undefined ? {} : { 'hindsight.track': part }),
    };
    const count = (name: string, description: string): Counter =>
      meter.createCounter(`${prefix}_${name}`, { description });
    this.#counters = {
      blocks: count('indexed_blocks', 'Blocks added to the index'),
      logs: count('indexed_logs', capital(`${kind} events read`)),
      faults: count('index_faults', 'Faults while indexing that were retried'),
    };
    this.#gauge('indexed_block', 'The last block in the index', () => this.#position?.number);
    this.#gauge('finalized_block', 'The last finalized block of the chain', () => this.#finalized);
  }

  #gauge(name: string, description: string, read: () => number | null | undefined): void {
    const { meter, prefix } = this.#deps;
    const observe = (result: ObservableResult): void => {
      const value = this.#isClosed ? null : read();
      if (value !== null && value !== undefined) result.observe(value, this.#of);
    };
    meter.createObservableGauge(`${prefix}_${name}`, { description }).addCallback(observe);
  }

  /** Ends the measurements of a walk that has ended before its process. */
  close(): void {
    this.#isClosed = true;
  }

  /** The last block in the index, and its first; null before there is one. */
  get position(): Position | null {
    return this.#position;
  }

  get kind(): string {
    return this.#deps.kind;
  }

  /** True if all finalized blocks have been in the index once. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
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
    return `the index begins at block ${this.#lateStart}: no earlier one is in it yet`;
  }

  /** A state with its reason; logged when it is new. */
  report(state: IndexState, detail: string): void {
    const isNew = state !== this.#state || detail !== this.#detail;
    this.#state = state;
    this.#detail = detail;
    if (isNew) this.#info({ state, detail }, `${state}${detail && `: ${detail}`}`);
  }

  get #name(): string {
    return `${this.kind} index of ${this.#deps.network}`;
  }

  #info(fields: object, text: string): void {
    this.#deps.logger.info(fields, `${this.#name}: ${text}`);
  }

  /** A round begins. @param lateStart first block of the index, if later than it should be */
  begin(base: Position | null, finalized: number, lateStart: number | null): void {
    if (lateStart !== this.#lateStart) {
      this.#lateStart = lateStart;
      if (lateStart !== null) this.#deps.logger.warn({ block: lateStart }, this.#startNote);
    }
    this.#position = base;
    this.#finalized = finalized;
    const behind = finalized - (base?.number ?? 0);
    this.report(behind > WORTH_LINES ? 'indexing' : 'following', '');
    if (base !== null) this.#rates.note(this.#deps.clock.now(), base.number, 0);
  }

  /** A range is in the index. @param logs number of its events */
  applied(position: Position, logs: number, { from, to }: BlockRange): void {
    const now = this.#deps.clock.now();
    this.#position = position;
    this.#detail = '';
    this.#rates.note(now, position.number, logs);
    this.#counters.blocks.add(to - from + 1, this.#of);
    this.#counters.logs.add(logs, this.#of);
    if (this.#state !== 'indexing' || now - this.#lineAt < LINE_EVERY_MS) return;
    this.#lineAt = now;
    this.#info({ block: position.number }, describeProgress(position.number, this.status));
  }

  /** All finalized blocks are in the index. */
  caughtUp(): void {
    this.#hasCaughtUp = true;
    if (this.#state === 'indexing') {
      this.#info({ block: this.#position?.number }, 'all finalized blocks are in');
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

  /** A fault after which the walk pauses. */
  fail(error: unknown): void {
    this.#counters.faults.add(1, this.#of);
    const halted = error instanceof IndexHalted;
    const state = halted ? 'halted' : 'waiting';
    const detail = error instanceof Error ? error.message : String(error);
    if (state !== this.#state || detail !== this.#detail)
      this.#deps.logger[halted ? 'error' : 'warn']({ err: error }, `${this.#name}: ${state}`);
    this.#state = state;
    this.#detail = detail;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
