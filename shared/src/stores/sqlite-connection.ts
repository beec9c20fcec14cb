/** A connection to the embedded database that tells of a file that is ill as every store does. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { StoreUnavailable } from './unavailable.ts';

/**
 * SQLite's primary result codes for what is no fault of the statement: it would do where and when the file can be worked
 * with (https://www.sqlite.org/rescode.html).
 */
const ILL = new Set<number | undefined>([
  3, // PERM
  5, // BUSY: another connection writes
  6, // LOCKED
  7, // NOMEM
  8, // READONLY: the rights, or the mount, have changed
  10, // IOERR
  11, // CORRUPT
  13, // FULL: the disk, or a quota
  14, // CANTOPEN: also the files beside it, where descriptors have run out
  15, // PROTOCOL: the lock was not to be had
  26, // NOTADB: what is there is no database any more
]);
/** What tells of statements that are run; `iterate` is left as it is. */
const RUN = ['all', 'get', 'run'] as const;

/** Opens a file; all that it does throws `StoreUnavailable` where the file is at fault, and else SQLite's own error. */
export class SqliteConnection extends DatabaseSync {
  override exec(sql: string): void {
    telling(() => super.exec(sql));
  }

  override prepare(sql: string): StatementSync {
    const statement = telling(() => super.prepare(sql));
    for (const name of RUN) {
      const run = Reflect.get(statement, name) as (...values: unknown[]) => unknown;
      const value = (...values: unknown[]): unknown => telling(() => run.apply(statement, values));
      Object.defineProperty(statement, name, { value });
    }
    return statement;
  }
}

function telling<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ILL.has(primaryCode(error)) ? new StoreUnavailable('SQLite', error) : error;
  }
}

/** SQLite's result code without its extension, of its error or of what tells of it; undefined for other errors. */
export function primaryCode(error: unknown): number | undefined {
  if (error instanceof StoreUnavailable) return primaryCode(error.cause);
  if (!isNativeError(error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
