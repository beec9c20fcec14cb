/** Opens the embedded database. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A step of a schema: applied once, in order, never edited after it was released. */
export interface Migration {
  /** Unique and lasting, for instance `projects-1`. */
  readonly id: string;
  readonly sql: string;
}

/** How long a writer waits for another process's write. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens a database file, creating it and its folder where they are missing, and brings its schema up to date. A commit
 * is on disk before it returns (WAL, synchronous FULL). Several processes may open the same file at once.
 */
export function openSqlite(path: string, migrations: readonly Migration[]): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(path);
  database.exec(
    `PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;`,
  );
  inTransaction(database, () => {
    database.exec('CREATE TABLE IF NOT EXISTS migration (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID');
    const applied = new Set(
      database
        .prepare('SELECT id FROM migration')
        .all()
        .map((row) => row.id),
    );
    const record = database.prepare('INSERT INTO migration (id) VALUES (?)');
    for (const { id, sql } of migrations) {
      if (applied.has(id)) continue;
      database.exec(sql);
      record.run(id);
    }
  });
  return database;
}

/** Runs `work` as one write: all of it is on disk when this returns, or none of it when it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
