import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './logger.ts';
import { backoff, pause } from './retry.ts';

interface JobOptions {
  readonly name: string;
  /**
   * One pass. Resolves to true when there is more to do at once. The signal is aborted when the job is stopped: the
   * pass should end at its next step, and is waited for.
   */
  readonly work: (signal: AbortSignal) => Promise<boolean> | Promise<void>;
  /** The pause after a pass that left nothing to do. */
  readonly everyMs: number;
  /** The pause before the first pass; none by default. */
  readonly firstAfterMs?: number;
  /**
   * The least pause between a nudge and the next pass, so that one pass does what has gathered. If passes take longer
   * than that, it is as long as the last one: half of the time is left to others.
   */
  readonly gatherMs?: number;
  /** The pause after some failures in a row. By default it doubles from the interval to 5 s, if the interval is shorter. */
  readonly retryAfterMs?: (failures: number, error: unknown) => number;
  /** Logs the first failure of several in a row, and the success after them; not set where `work` reports them itself. */
  readonly logger?: Logger;
}

const MAX_RETRY_MS = 5_000;

/** Repeated work: soon after a nudge, later after failures, one pass at a time. */
export class Job {
  readonly #options: JobOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #failures = 0;
  #lastTookMs = 0;
  #nudged = false;
  /** Ends the pause under way. */
  #wake = (): void => undefined;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** Begins; returns at once. */
  start(): void {
    this.#running ??= this.#run();
  }

  startIn(lifecycle: Pick<Lifecycle, 'onStop'>): void {
    this.start();
    // The next start repeats a pass that is left behind.
    lifecycle.onStop(this.#options.name, () => this.stop(), Infinity);
  }

  /** Ends the pause. Pauses after failures are kept. */
  nudge(): void {
    this.#nudged = true;
    this.#wake();
  }

  /** Resolves when the pass under way has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the job is stopped'));
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { everyMs, firstAfterMs = 0 } = this.#options;
    const { signal } = this.#stopping;
    if (firstAfterMs > 0) await pause(firstAfterMs, signal);
    while (!signal.aborted) {
      this.#nudged = false;
      const begun = performance.now();
      const next = await this.#pass();
      this.#lastTookMs = performance.now() - begun;
      if (next === 'at once') continue;
      if (next === 'later') await this.#pauseUntilNudged(everyMs);
      else await pause(next.retryAfterMs, signal);
    }
  }

  async #pass(): Promise<'at once' | 'later' | { readonly retryAfterMs: number }> {
    const { name, work, logger, retryAfterMs = this.#backoff } = this.#options;
    try {
      const more = await work(this.#stopping.signal);
      if (this.#failures > 0) logger?.info({ job: name }, 'a job works again');
      this.#failures = 0;
      return more === true ? 'at once' : 'later';
    } catch (err) {
      this.#failures++;
      if (this.#failures === 1 && !this.#stopping.signal.aborted)
        logger?.warn({ err, job: name }, 'a job failed; trying again');
      return { retryAfterMs: retryAfterMs(this.#failures, err) };
    }
  }

  readonly #backoff = (failures: number): number => {
    const { everyMs } = this.#options;
    return backoff(failures + 1, everyMs, Math.max(everyMs, MAX_RETRY_MS));
  };

  async #pauseUntilNudged(milliseconds: number): Promise<void> {
    const { gatherMs = 0, everyMs } = this.#options;
    const { signal } = this.#stopping;
    // Without a signal that joins two others: jobs pause several times a second.
    if (!this.#nudged && !signal.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    const rest = gatherMs === 0 ? 0 : Math.min(Math.max(gatherMs, this.#lastTookMs), everyMs);
    if (this.#nudged) await pause(rest, signal);
  }
}
