/** Pauses between attempts. */

/** Waits; returns at once when the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}

/** Doubles from `first` up to `max`; `attempt` counts from 1. */
export function backoff(attempt: number, first: number, max: number): number {
  return Math.min(first * 2 ** Math.min(attempt - 1, 30), max);
}

/** Yields to the event loop once, so that timers and sockets are served. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
