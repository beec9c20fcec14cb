/** Repeatable chance. */

/** Rolls the same numbers for the same seed, on every machine (xorshift32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** A whole number from 0 to below `sides`. */
  roll(sides: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % sides;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.roll(from.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }
}
