import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from './is-ready.ts';

/** The processes that a load balancer sends requests to: it polls `/readyz` of each until the signal. */
export class ReadyBackends {
  readonly #ready = new Set<string>();
  #turn = 0;

  constructor(urls: readonly string[], everyMs: number, end: AbortSignal) {
    for (const url of urls) void this.#poll(url, everyMs, end);
  }

  has(url: string): boolean {
    return this.#ready.has(url);
  }

  /** The next one in turn; undefined if none is ready. */
  next(): string | undefined {
    const ready = [...this.#ready];
    return ready[this.#turn++ % ready.length];
  }

  async #poll(url: string, everyMs: number, end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      if (await isReady(url)) this.#ready.add(url);
      else this.#ready.delete(url);
      await sleep(everyMs);
    }
  }
}
