/** A candidate with what distinguishes it from all others. */
export type Keyed<T> = readonly [key: string, make: () => T];

/** Keeps the first of many candidates in the order of their keys, in whatever order they come. */
export class FirstInOrder<T> {
  readonly #most: number;
  readonly #after: string;
  readonly #makes = new Map<string, () => T>();
  /** A later key is not among the first. */
  #last: string | undefined;

  /** @param after those up to this key are left out */
  constructor(most: number, after: string) {
    this.#most = most;
    this.#after = after;
  }

  /** @param make makes the candidate, if it is asked for */
  add(key: string, make: () => T): void {
    if (key <= this.#after || (this.#last !== undefined && key > this.#last)) return;
    this.#makes.set(key, make);
    if (this.#makes.size >= 2 * this.#most) this.#trim();
  }

  /** The first ones, ascending. */
  get entries(): readonly Keyed<T>[] {
    this.#trim();
    return [...this.#makes].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  #trim(): void {
    if (this.#makes.size <= this.#most) return;
    const keys = [...this.#makes.keys()].sort();
    for (const key of keys.slice(this.#most)) this.#makes.delete(key);
    this.#last = keys[this.#most - 1];
  }
}
