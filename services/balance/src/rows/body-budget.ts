/** Bounds the bytes that all bodies of a process hold together, beyond the little that each may hold. */
export class BodyBudget {
  #left: number;
  readonly #waiting = new Set<() => void>();

  /** @param bytes that all bodies may hold; each may exceed it by its last chunk */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  get hasRoom(): boolean {
    return this.#left > 0;
  }

  /** Counts bytes as held, or as no longer held where negative; wakes those that wait for room. */
  change(bytes: number): void {
    this.#left -= bytes;
    if (bytes >= 0 || !this.hasRoom) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls once, when there may be room again. */
  wait(wake: () => void): void {
    this.#waiting.add(wake);
  }

  /** Forgets who waits. */
  leave(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}
