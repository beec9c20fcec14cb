/** Copies the embedded databases while they are written to. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { backup } from 'node:sqlite';
import { SqliteConnection } from './sqlite-connection.ts';

/** Longest wait for a process that writes. */
const BUSY_TIMEOUT_MS = 5_000;
/** 4 MB: the copy of a large file must not take a turn of the event loop for every few pages. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies all database files of a folder into another one, all as of the same moment, while other processes
 * use them. Writers wait for that moment only, some milliseconds.
 * @returns the names of the files
 */
export async function copyDatabases(from: string, to: string): Promise<string[]> {
  const names = readdirSync(from)
    .filter((name) => name.endsWith('.db'))
    .sort();
  const snapshots = takeSnapshots(names.map((name) => join(from, name)));
  try {
    for (const [at, name] of names.entries()) {
      await backup(snapshots[at]!, join(to, name), { rate: PAGES_AT_ONCE });
      checkCopy(join(to, name));
    }
    return names;
  } finally {
    for (const snapshot of snapshots) snapshot.close();
  }
}

/** A read transaction on each file: what others commit afterwards is not seen in it. */
function takeSnapshots(paths: readonly string[]): SqliteConnection[] {
  const locks: SqliteConnection[] = [];
  const snapshots: SqliteConnection[] = [];
  try {
    // While all files are locked, no process can write to one that is read already and then to one that is not.
    for (const path of paths) begin(locks, path, 'BEGIN IMMEDIATE');
    for (const path of paths) begin(snapshots, path, 'BEGIN').prepare('SELECT 1 FROM sqlite_schema').get();
    return snapshots;
  } catch (error) {
    for (const snapshot of snapshots) snapshot.close();
    throw error;
  } finally {
    for (const lock of locks) lock.close();
  }
}

function begin(connections: SqliteConnection[], path: string, statement: string): SqliteConnection {
  const connection = new SqliteConnection(path);
  connections.push(connection);
  connection.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; ${statement}`);
  return connection;
}

/** Makes it one file, without a log, and reads it through. */
function checkCopy(path: string): void {
  const copy = new SqliteConnection(path);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const [found] = copy.prepare('PRAGMA quick_check(1)').all();
    if (found?.quick_check !== 'ok') throw new Error(`${path} is damaged: ${String(found?.quick_check)}`);
  } finally {
    copy.close();
  }
}
