import { setTimeout as sleep } from 'node:timers/promises';
import { NotVouched } from './vouched-logs.ts';

/** Pauses before another try; together shorter than it takes a node to get the next block on most chains. */
const PAUSES_MS = [10, 25, 50, 100, 200, 400];

/** How long a question may be asked again. */
export interface AskAgainOptions {
  /** By `performance.now()`. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks again where the node that answered was behind: the next one behind the same URL may not be.
 * @throws {NodeError} the last NotVouched, or what else went wrong
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
