/** A token whose calls fail although the node is healthy: bounds the number of separate calls for it. */

/**
 * End of a shared call without a number: with its gas burnt (or a write tried), or reverted with gas left.
 */
export type Failure = 'burnt' | 'reverted';

/** After this number of successes alone, and none in shared calls, the token needs a call for each question. */
const NEEDS_ALONE = 8;
/** With this many more failures than successes alone, what fails in the same way is not repeated. */
const MAX_REPEATS: Readonly<Record<Failure, number>> = { reverted: 3, burnt: 20 };
/** After this number of burnt calls and not one number, the token is not asked further. */
const MAX_BURNT = 1_000;

/**
 * One request's experience with one token. An honest token may need more gas than a shared call gives, or
 * write when it is read: its calls succeed alone. A hostile one only costs time, which this bounds.
 */
export class TokenTrials {
  #shared = 0;
  #alone = 0;
  #burnt = 0;
  readonly #failedAlone: Record<Failure, number> = { burnt: 0, reverted: 0 };

  /** Mode of the token's next calls. */
  get next(): 'shared' | 'alone' | 'not' {
    if (this.#shared > 0) return 'shared';
    if (this.#alone >= NEEDS_ALONE) return 'alone';
    return this.#alone === 0 && this.#burnt >= MAX_BURNT ? 'not' : 'shared';
  }

  /** Notes the outcome of a question in a shared call; no failure stands for a number. */
  noteShared(failure?: Failure): void {
    if (failure === undefined) this.#shared += 1;
    else if (failure === 'burnt') this.#burnt += 1;
  }

  /** True if a call that failed in a shared call is worth a separate one. */
  isWorthRepeating(failure: Failure): boolean {
    return this.#failedAlone[failure] < MAX_REPEATS[failure] + this.#alone;
  }

  /** Notes the outcome of a question alone that had failed like this in a shared call. */
  noteAlone(failure: Failure, succeeded: boolean): void {
    if (succeeded) this.#alone += 1;
    else this.#failedAlone[failure] += 1;
  }
}
