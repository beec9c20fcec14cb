/** Small waits that end when somebody goes. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits, or returns at once when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Doubles from `first` up to `most`; `attempt` counts from 1. */
export function backoff(attempt: number, first: number, most: number): number {
  return Math.min(first * 2 ** Math.min(attempt - 1, 30), most);
}

/** Waits for a promise, but no longer than this; whether it settled in time. Its rejection is not passed on. */
export async function settledWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const limit = new AbortController();
  const late = sleep(milliseconds, false, { signal: limit.signal }).catch(() => false);
  const settled = promise.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, late]);
  limit.abort();
  return inTime;
}

/** Lets the event loop turn once: timers and sockets get their time. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
