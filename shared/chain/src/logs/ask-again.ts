import { setTimeout as sleep } from 'node:timers/promises';
import { NotVouched } from './vouched-logs.ts';

/** Pauses before another try; together shorter than the time from one block to the next on most chains. */
const PAUSES_MS = [10, 25, 50, 100, 200, 400];

/** Bounds on repetitions of a question. */
export interface AskAgainOptions {
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Repeats a question if the node that answered was behind: the next one behind the same URL may not be.
 * @throws {NodeError} the last NotVouched, or another error
 */
export async function askAgain<T>({ deadline, signal }: AskAgainOptions, ask: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      const pause = PAUSES_MS[tries];
      const isLast = pause === undefined || performance.now() + pause >= deadline;
      if (!(error instanceof NotVouched) || isLast) throw error;
      await sleep(pause, undefined, { signal });
    }
  }
}
