import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from './deadline.ts';
import type { Logger } from './logger.ts';

/** Every process has at most this long from the end of its drain to its exit. */
const SHUTDOWN_DEADLINE_MS = 8_000;
/** A worker has less: its primary waits for it within its own time. */
const WORKER_DEADLINE_MS = 7_000;

/** The share of that time after which a part that has not stopped is abandoned. */
const PART_SHARE = 0.6;

/** The share that each part has at least, also where earlier ones have used up the time. */
const LEAST_SHARE = 0.005;

type Stop = () => unknown;

interface Part {
  readonly name: string;
  readonly stop: Stop;
  readonly patienceMs: number | undefined;
  readonly share: number;
}

/** The owner of start and shutdown: what was started last is stopped first. */
export interface Lifecycle {
  /**
   * Registers how a part that has just started is stopped.
   * @param patienceMs the longest wait for a part that loses nothing when it is left behind, as by a kill; any other part
   *   that is late is a failure
   * @param share of the time for all parts that this one may take
   */
  onStop(name: string, stop: Stop, patienceMs?: number, share?: number): void;
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
export function createLifecycle(
  logger: Logger,
  deadlineMs = cluster.isWorker ? WORKER_DEADLINE_MS : SHUTDOWN_DEADLINE_MS,
): Lifecycle {
  const parts: Part[] = [];
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
      const { name, stop, patienceMs = Infinity, share } = part;
      const left = Math.max(deadlineMs * 0.95 - (performance.now() - begun), deadlineMs * LEAST_SHARE);
      const limit = Math.round(Math.min(deadlineMs * share, left, patienceMs));
      const late = new Error(`it did not stop within ${limit} ms`);
      try {
        await withDeadline(Promise.resolve().then(stop), limit, () => late);
      } catch (err) {
        if (err === late && part.patienceMs !== undefined) {
          logger.warn({ part: name, milliseconds: limit }, 'a part is left behind; nothing is lost by that');
          continue;
        }
        code = 1;
        logger.error({ part: name, err }, 'a part did not stop cleanly');
      }
    }
    logger.info({ milliseconds: Math.round(performance.now() - begun) }, 'stopped');
    return code;
  }

  return {
    logger,
    onStop: (name, stop, patienceMs, share = PART_SHARE) =>
      void parts.push({ name, stop, patienceMs, share }),
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
