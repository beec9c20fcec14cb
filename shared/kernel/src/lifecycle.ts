import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';

/** Every process has at most this long from the end of its drain to its exit. */
const SHUTDOWN_DEADLINE_MS = 8_000;

/** The share of that time after which a part that has not stopped is abandoned. */
const PART_SHARE = 0.6;

type Stop = () => unknown;

/** The owner of start and shutdown: what was started last is stopped first. */
export interface Lifecycle {
  /** Registers how a part that has just started is stopped. */
  onStop(name: string, stop: Stop): void;
  /** Registers what is done first of all, when the shutdown begins and requests are still taken. */
  onDrain(begin: () => void): void;
  /** For messages of a part between its start and its stop. */
  readonly logger: Logger;
  /** True from the moment that shutdown has begun. */
  readonly stopping: boolean;
  /**
   * Stops every part in reverse order; a part that fails or is slow does not hold up the others. Idempotent.
   * @param drainMs how long requests are still taken before; a second call without it ends the wait
   * @returns the exit code
   */
  shutdown(reason: string, drainMs?: number): Promise<number>;
}

/** Creates the owner. `logger` says what failed to stop; `deadlineMs` bounds the shutdown without the drain. */
export function createLifecycle(logger: Logger, deadlineMs = SHUTDOWN_DEADLINE_MS): Lifecycle {
  const parts: { name: string; stop: Stop }[] = [];
  const beginnings: (() => void)[] = [];
  const drained = new AbortController();
  let running: Promise<number> | undefined;

  async function stopAll(reason: string, drainMs: number): Promise<number> {
    logger.info({ reason, drainMs }, 'shutting down');
    for (const begin of beginnings) begin();
    if (drainMs > 0) await sleep(drainMs, undefined, drained).catch(() => undefined);
    const begun = performance.now();
    let code = 0;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const left = deadlineMs * 0.95 - (performance.now() - begun);
      try {
        const limit = Math.round(Math.min(deadlineMs * PART_SHARE, Math.max(left, 0)));
        const late = (): Error => new Error(`it did not stop within ${limit} ms`);
        await withDeadline(Promise.resolve().then(part.stop), limit, late);
      } catch (error) {
        code = 1;
        logger.error({ part: part.name, err: error }, 'a part did not stop cleanly');
      }
    }
    logger.info({ milliseconds: Math.round(performance.now() - begun) }, 'stopped');
    return code;
  }

  return {
    logger,
    onStop: (name, stop) => void parts.push({ name, stop }),
    onDrain: (begin) => void beginnings.push(begin),
    get stopping() {
      return running !== undefined;
    },
    shutdown(reason, drainMs = 0) {
      if (drainMs === 0) drained.abort();
      // Before anything is done of it: `stopping` is what it is seen by.
      return (running ??= Promise.resolve().then(() => stopAll(reason, drainMs)));
    },
  };
}
