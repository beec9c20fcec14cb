/** Opens the embedded database. */
import { ensureFolder } from '@hindsight/kernel/ensure-folder.ts';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isNativeError } from 'node:util/types';
import { primaryCode, SqliteConnection } from './sqlite-connection.ts';

/** A step of a schema: applied once, in order, never edited after it was released. */
export interface Migration {
  /** Unique and lasting, for instance `projects-1`. */
  readonly id: string;
  readonly sql: string;
}

/** Longest wait of a writer for another process's write. */
const BUSY_TIMEOUT_MS = 5_000;

/** SQLite's result codes for "another connection holds the lock" (https://www.sqlite.org/rescode.html), without extensions. */
const LOCKED = new Set<number | undefined>([5, 6]);

/**
 * Opens a database file, creating it and its folder where they are missing, and brings its schema up to date. A commit
 * is on disk before it returns (WAL, synchronous FULL). Several processes may open the same file at once.
 * Its methods throw `StoreUnavailable` while others keep the file locked, and where the disk is full or faulty.
 */
export function openSqlite(path: string, migrations: readonly Migration[]): DatabaseSync {
  ensureFolder(dirname(path));
  try {
    return openMigrated(path, migrations);
  } catch (error) {
    // An installation has several files.
    if (isNativeError(error)) error.message += ` (${path})`;
    throw error;
  }
}

function openMigrated(path: string, migrations: readonly Migration[]): DatabaseSync {
  const database = new SqliteConnection(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    retryWhileLocked(() => database.exec('PRAGMA journal_mode = WAL'));
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    inTransaction(database, () => migrate(database, migrations));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs `work` as one write: all of it is on disk when this returns, or none of it when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE');
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // After some failures SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function migrate(database: DatabaseSync, migrations: readonly Migration[]): void {
  database.exec('CREATE TABLE IF NOT EXISTS migration (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
  const rows = database.prepare('SELECT id FROM migration').all();
  const applied = new Set(rows.map(({ id }) => id));
  const record = database.prepare('INSERT INTO migration (id) VALUES (?)');
  for (const { id, sql } of migrations) {
    if (applied.has(id)) continue;
    database.exec(sql);
    record.run(id);
  }
}

/** Switching to WAL does not wait for a lock when several processes create a file at once. */
function retryWhileLocked(work: () => void): void {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!LOCKED.has(primaryCode(error)) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}
