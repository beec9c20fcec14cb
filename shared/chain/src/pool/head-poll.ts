import type { Member } from './member.ts';

const POLL_TIMEOUT_MS = 2_000;

/** Intervals of polling, in milliseconds. */
export interface PollLimits {
  readonly everyMs: number;
  /** Idle time after which polling stops. */
  readonly idleMs: number;
}

/** Polls the nodes' heads, and nodes that were down, while the pool is in use. */
export class HeadPoll {
  readonly #members: readonly Member[];
  readonly #limits: PollLimits;
  readonly #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #usedAt = 0;

  constructor(members: readonly Member[], limits: PollLimits) {
    this.#members = members;
    this.#limits = limits;
  }

  /** Notes that the nodes are in use. */
  touch(): void {
    this.#usedAt = performance.now();
    if (this.#timer || this.#end.signal.aborted) return;
    this.#timer = setInterval(() => this.#tick(), this.#limits.everyMs).unref();
    // A node that was down admits one trial: it is the question's that comes now.
    this.#poll(this.#members.filter(({ isDown }) => !isDown));
  }

  /** Ends polling for good, including the requests under way. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#end.abort(new Error('no longer needed'));
  }

  #tick(): void {
    if (performance.now() - this.#usedAt > this.#limits.idleMs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#poll(this.#members);
  }

  #poll(members: readonly Member[]): void {
    const options = { signal: this.#end.signal, timeoutMs: POLL_TIMEOUT_MS };
    for (const member of members) void member.poll(this.#limits.everyMs, options);
  }
}
