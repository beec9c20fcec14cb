import type { Logger } from '@hindsight/shared/logger.ts';
import { backoff, pause } from '@hindsight/shared/waiting.ts';

interface LoopOptions {
  readonly name: string;
  /** The pause after a pass that found nothing more to do. */
  readonly everyMs: number;
  /**
   * How long after a nudge the next pass begins at least: what comes in the meantime is done in the same pass. Where
   * passes take longer than that, the pause is as long as the last one, so that half of the time is left to others.
   */
  readonly gatherMs?: number;
  readonly logger: Logger;
  /** One pass; resolves to whether there may be more to do at once. */
  readonly work: () => Promise<boolean>;
}

const MAX_PAUSE_MS = 5_000;

/** Work that is done again and again: soon when nudged, later after failures, never twice at a time. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #nudged = false;
  #lastTookMs = 0;
  #waking = new AbortController();

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the pause; while there are failures, pauses are kept. */
  nudge(): void {
    this.#nudged = true;
    this.#waking.abort();
  }

  /** Resolves when the pass that runs has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { everyMs, logger, name, work } = this.#options;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#nudged = false;
      let more = false;
      const begun = performance.now();
      try {
        more = await work();
        if (failures > 0) logger.info({ job: name }, 'works again');
        failures = 0;
      } catch (err) {
        failures++;
        if (failures === 1) logger.warn({ err, job: name }, 'failed; it goes on trying');
      }
      if (failures > 0) await this.#pause(backoff(failures + 1, everyMs, MAX_PAUSE_MS), false);
      else if (!more) {
        this.#lastTookMs = performance.now() - begun;
        await this.#pause(everyMs, true);
      }
    }
  }

  async #pause(milliseconds: number, endsWhenNudged: boolean): Promise<void> {
    const { gatherMs = 0, everyMs } = this.#options;
    const rest = gatherMs === 0 ? 0 : Math.min(Math.max(gatherMs, this.#lastTookMs), everyMs);
    if (endsWhenNudged && this.#nudged) return pause(rest, this.#stopping.signal);
    this.#waking = new AbortController();
    const signals = endsWhenNudged ? [this.#stopping.signal, this.#waking.signal] : [this.#stopping.signal];
    await pause(milliseconds, AbortSignal.any(signals));
    if (endsWhenNudged && this.#nudged) await pause(rest, this.#stopping.signal);
  }
}
