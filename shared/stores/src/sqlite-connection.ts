/** A connection to the embedded database that throws the errors of every store. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { StoreUnavailable } from './unavailable.ts';

/**
 * SQLite's primary result codes that are not the statement's fault: it should succeed once the file is usable again
 * (https://www.sqlite.org/rescode.html).
 */
const TRANSIENT_CODES = new Set<number | undefined>([
  3, // PERM
  5, // BUSY: another connection writes
  6, // LOCKED
  7, // NOMEM
  8, // READONLY: the rights, or the mount, have changed
  10, // IOERR
  11, // CORRUPT
  13, // FULL: the disk, or a quota
  14, // CANTOPEN: also for the other files, when descriptors have run out
  15, // PROTOCOL: the lock could not be obtained
  26, // NOTADB: the file is no longer a database
]);
/** The methods of a statement whose errors are translated; `iterate` stays unchanged. */
const RUN = ['all', 'get', 'run'] as const;

/** Opens a file. Its methods throw `StoreUnavailable` if the file is at fault, otherwise SQLite's own error. */
export class SqliteConnection extends DatabaseSync {
  override exec(sql: string): void {
    translateErrors(() => super.exec(sql));
  }

  override prepare(sql: string): StatementSync {
    const statement = translateErrors(() => super.prepare(sql));
    for (const name of RUN) {
      const run = Reflect.get(statement, name) as (...values: unknown[]) => unknown;
      const value = (...values: unknown[]): unknown => translateErrors(() => run.apply(statement, values));
      Object.defineProperty(statement, name, { value });
    }
    return statement;
  }
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw TRANSIENT_CODES.has(primaryCode(error)) ? new StoreUnavailable('SQLite', error) : error;
  }
}

/** SQLite's result code without its extension, of its error or of a `StoreUnavailable` it caused; undefined for other errors. */
export function primaryCode(error: unknown): number | undefined {
  if (error instanceof StoreUnavailable) return primaryCode(error.cause);
  if (!isNativeError(error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
