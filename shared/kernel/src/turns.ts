/** Long work takes turns on the event loop: one for each round of the loop, in order of arrival. */

/** A turn holds up everything else in the process; goal: 20 ms, garbage collection included. */
const TURN_MS = 10;

const waiting: (() => void)[] = [];

/**
 * Yields to the event loop, so that timers and sockets are served. Turns of all callers are served one by one: twenty
 * loops that each work for 10 ms hold up other requests by 10 ms, not by 200.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serve);
  });
}

/** Ends the first wait; the work that it held up runs at once. */
function serve(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(serve);
}

/** Cuts a long loop into turns. The first ends with the loop's first step, because reading the request took time as well. */
export class Turns {
  #end = 0;

  /** Await it after each step of the loop. */
  async next(): Promise<void> {
    if (performance.now() < this.#end) return;
    await nextTurn();
    this.#end = performance.now() + TURN_MS;
  }
}
