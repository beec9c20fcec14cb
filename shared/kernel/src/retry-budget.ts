export interface RetryLimits {
  /** Retries that are saved up at most, and at the start. */
  readonly reserve: number;
  /** Retries earned by a question. */
  readonly perQuestion: number;
}

/**
 * Bounds how much load retries add: each question earns a part of one, up to a reserve. During an outage the reserve is
 * soon used up, so that failing peers do not get twice the load.
 */
export class RetryBudget {
  readonly #limits: RetryLimits;
  #left: number;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
    this.#left = limits.reserve;
  }

  earn(): void {
    this.#left = Math.min(this.#left + this.#limits.perQuestion, this.#limits.reserve);
  }

  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
