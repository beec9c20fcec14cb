import { nextTurn } from './retry.ts';

/** Work for this long holds up other requests by no more than they bear. */
const TURN_MS = 20;

/** Cuts a long loop into turns: what waits in the event loop runs after each 20 ms of it. */
export class Turns {
  #end = performance.now() + TURN_MS;

  /** Await it after each step of the loop. */
  async next(): Promise<void> {
    if (performance.now() < this.#end) return;
    await nextTurn();
    this.#end = performance.now() + TURN_MS;
  }
}
