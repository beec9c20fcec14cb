import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';

interface Waiting {
  /** Does the work; the returned function reports its outcome once it is on disk. */
  readonly perform: () => () => void;
  readonly fail: (error: unknown) => void;
}

/** Resolves to what `work` returned, once it is on disk. */
export type Commit = <T>(work: () => T) => Promise<T>;

/**
 * Runs all writes of one event loop turn as one transaction, so that they share one flush to disk. When one of a group throws,
 * nothing of the group is written.
 */
export function groupCommit(database: DatabaseSync): Commit {
  let waiting: Waiting[] = [];
  const commit = (): void => {
    const group = waiting;
    waiting = [];
    try {
      const outcomes = inTransaction(database, () => group.map(({ perform }) => perform()));
      for (const report of outcomes) report();
    } catch (error) {
      for (const { fail } of group) fail(error);
    }
  };
  return (work) =>
    new Promise((resolve, fail) => {
      if (waiting.length === 0) setImmediate(commit);
      const perform = (): (() => void) => {
        const result = work();
        return () => resolve(result);
      };
      waiting.push({ perform, fail });
    });
}
