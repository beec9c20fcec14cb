/** Candidates of many contracts, shared out so that no contract takes the room of another. */

/** More would be too many to read at once. */
export const MAX_CANDIDATES = 2_000;
/** Of one contract: it must not use up a request. */
const MAX_OF_CONTRACT = 500;

/**
 * Takes candidates from the newest to the oldest. When there is no room, the contract with the most of them
 * loses its oldest: spam is many events of few contracts, a wallet's own events are few of many.
 */
export class FairCandidates<T> {
  readonly #found = new Map<string, T>();
  /** The keys of each contract's candidates, newest first. */
  readonly #keys = new Map<string, string[]>();
  readonly #cut = new Set<string>();
  /** No contract has more than this: contracts only lose some once there is no room. */
  #most = 0;

  get found(): readonly T[] {
    return [...this.#found.values()];
  }

  /** The keys of those that are found, in no order. */
  get keys(): readonly string[] {
    return [...this.#found.keys()];
  }

  has(key: string): boolean {
    return this.#found.has(key);
  }

  /** Contracts of which not all candidates are here, EIP-55, sorted. */
  get cut(): readonly string[] {
    return [...this.#cut].sort();
  }

  /**
   * @param contract EIP-55
   * @param key what distinguishes the candidate from all others
   * @param make is only called for one that is added: events may repeat a candidate a million times
   */
  add(contract: string, key: string, make: () => T): void {
    if (this.#found.has(key)) return;
    const keys = this.#keys.get(contract) ?? [];
    if (keys.length === MAX_OF_CONTRACT || !this.#hasRoom(keys.length)) {
      // One that has none at all is of a later page, as the others are that come after it.
      if (keys.length > 0) this.#cut.add(contract);
      return;
    }
    keys.push(key);
    this.#keys.set(contract, keys);
    this.#found.set(key, make());
    this.#most = Math.max(this.#most, keys.length);
  }

  /**
   * True if a contract with `count` gets another: if need be from the contract with the most, which keeps as
   * many.
   */
  #hasRoom(count: number): boolean {
    if (this.#found.size < MAX_CANDIDATES) return true;
    if (this.#most <= count + 1) return false;
    const [contract, keys] = [...this.#keys].reduce((one, other) =>
      other[1].length > one[1].length ? other : one,
    );
    this.#most = keys.length;
    if (this.#most <= count + 1) return false;
    this.#found.delete(keys.pop()!);
    this.#cut.add(contract);
    return true;
  }
}
