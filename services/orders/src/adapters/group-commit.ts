import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';

interface Waiting {
  /** Does the work; the returned function reports its outcome once it is on disk. */
  readonly perform: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Runs all writes of one event loop turn as one transaction, so that they share one flush to disk. */
export class GroupCommit {
  readonly #database: DatabaseSync;
  #waiting: Waiting[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Resolves to what `work` returned, once it is on disk. When one of a group throws, nothing of the group is written. */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#commit());
      const perform = (): (() => void) => {
        const result = work();
        return () => resolve(result);
      };
      this.#waiting.push({ perform, fail: reject });
    });
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      const outcomes = inTransaction(this.#database, () => group.map(({ perform }) => perform()));
      for (const report of outcomes) report();
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  }
}
