import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';

/** Every process has at most this long from the signal to its exit. */
const SHUTDOWN_DEADLINE_MS = 10_000;

/** The share of that time after which a part that has not stopped is abandoned. */
const PART_SHARE = 0.6;

type Stop = () => unknown;

/** The owner of start and shutdown: what was started last is stopped first. */
export interface Lifecycle {
  /** Registers how a part that has just started is stopped. */
  onStop(name: string, stop: Stop): void;
  /** For messages of a part between its start and its stop. */
  readonly logger: Logger;
  /** True from the moment that shutdown has begun. */
  readonly stopping: boolean;
  /** Stops every part in reverse order; a part that fails or is slow does not hold up the others. Idempotent. Resolves to the exit code. */
  shutdown(reason: string): Promise<number>;
}

/** Creates the owner. `logger` says what failed to stop; `deadlineMs` bounds the whole shutdown. */
export function createLifecycle(logger: Logger, deadlineMs = SHUTDOWN_DEADLINE_MS): Lifecycle {
  const parts: { name: string; stop: Stop }[] = [];
  let running: Promise<number> | undefined;

  async function stopAll(reason: string): Promise<number> {
    logger.info({ reason }, 'shutting down');
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
    get stopping() {
      return running !== undefined;
    },
    shutdown: (reason) => (running ??= stopAll(reason)),
  };
}
