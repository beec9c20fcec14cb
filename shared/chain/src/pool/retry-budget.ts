/** How much may be asked again; see `RetryBudget`. */
export interface RetryLimits {
  /** Retries that are saved up at most, and at the start. */
  readonly reserve: number;
  /** Retries earned by a question. */
  readonly perQuestion: number;
}

/**
 * Bounds how much load retries add: each question earns a part of one, up to a reserve. In a bad time the reserve is
 * soon used up, and nodes that are in trouble are not asked twice as much because of it.
 */
export class RetryBudget {
  readonly #limits: RetryLimits;
  #left: number;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
    this.#left = limits.reserve;
  }

  /** Notes a question. */
  earn(): void {
    this.#left = Math.min(this.#left + this.#limits.perQuestion, this.#limits.reserve);
  }

  /** Takes one retry, where there is one. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
