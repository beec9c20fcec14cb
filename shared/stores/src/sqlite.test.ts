import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { damageSqlite } from '../test/support/damage-sqlite.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { inTransaction, openSqlite } from './sqlite.ts';
import { StoreUnavailable } from './unavailable.ts';

const CHILD = join(import.meta.dirname, '../test/sqlite.child.ts');
const run = promisify(execFile);

describe('the embedded database', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-sqlite-'));
    path = join(folder, 'new', 'test.db');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is created, migrated once and written by eight processes that start at the same moment', async () => {
    const writers = Array.from({ length: 8 }, (_, n) => `writer-${n}`);
    await Promise.all(
      writers.map((writer) => run(process.execPath, [CHILD, path, writer, '25'], { timeout: 600_000 })),
    );
    const database = openSqlite(path, []);
    const counts = database.prepare('SELECT writer, count(*) AS n FROM thing GROUP BY writer').all();
    database.close();
    expect(Object.fromEntries(counts.map(({ writer, n }) => [writer, n]))).toEqual({
      migration: 1,
      ...Object.fromEntries(writers.map((writer) => [writer, 25])),
    });
  });

  it('is the folder of its owner alone, and writes to disk before it answers', () => {
    const database = openSqlite(path, []);
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    const read = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    // 2 is FULL.
    expect(['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(read)).toEqual([
      ...['wal', 2, 1, 5_000],
    ]);
    database.close();
  });

  it('waits for a lock, and for nothing else', () => {
    mkdirSync(join(folder, 'new'));
    writeFileSync(path, 'no database '.repeat(1_000));
    const waited = jest.spyOn(Atomics, 'wait');
    expect(() => openSqlite(path, [])).toThrow(StoreUnavailable);
    expect(waited).not.toHaveBeenCalled();
    const locked = Object.assign(new Error('database is locked'), { errcode: 261 });
    const exec = jest.spyOn(SqliteConnection.prototype, 'exec').mockImplementation((sql) => {
      if (sql.includes('WAL')) throw new StoreUnavailable('SQLite', locked);
    });
    // Five seconds are over at the second look.
    let now = 0;
    jest.spyOn(Date, 'now').mockImplementation(() => (now += 3_000));
    expect(() => openSqlite(path, [])).toThrow('database is locked');
    expect(waited).toHaveBeenCalledTimes(1);
    expect(exec).toHaveBeenCalledTimes(3);
  });

  it('applies a new migration to an old file, and none of it when it fails', () => {
    const first = { id: 'a', sql: 'CREATE TABLE a (x INTEGER) STRICT' };
    openSqlite(path, [first]).close();
    const broken = { id: 'b', sql: 'CREATE TABLE b (x INTEGER) STRICT; CREATE TABLE a (x INTEGER) STRICT;' };
    const closed = jest.spyOn(DatabaseSync.prototype, 'close');
    expect(() => openSqlite(path, [first, broken])).toThrow('already exists');
    expect(closed).toHaveBeenCalledTimes(1);
    const mended = { id: 'b', sql: 'CREATE TABLE b (x INTEGER) STRICT' };
    const database = openSqlite(path, [first, mended]);
    expect(database.prepare('SELECT id FROM migration ORDER BY id').all()).toEqual([
      { id: 'a' },
      { id: 'b' },
    ]);
    database.close();
  });

  it('writes a transaction completely or not at all', () => {
    const database = openSqlite(path, [{ id: 'a', sql: 'CREATE TABLE a (x INTEGER) STRICT' }]);
    const insert = database.prepare('INSERT INTO a (x) VALUES (?)');
    expect(() =>
      inTransaction(database, () => {
        insert.run(1);
        throw new Error('changed my mind');
      }),
    ).toThrow('changed my mind');
    inTransaction(database, () => insert.run(2));
    expect(database.prepare('SELECT x FROM a').all()).toEqual([{ x: 2 }]);
    database.close();
  });

  it('is unavailable when another writer keeps it locked', () => {
    const one = openSqlite(path, []);
    const other = openSqlite(path, []);
    other.exec('PRAGMA busy_timeout = 50');
    one.exec('BEGIN IMMEDIATE');
    expect(() => inTransaction(other, () => undefined)).toThrow(StoreUnavailable);
    one.exec('ROLLBACK');
    expect(inTransaction(other, () => 'written')).toBe('written');
    one.close();
    other.close();
  });

  // Each with SQLite's own message (https://www.sqlite.org/rescode.html).
  it.each<[string, string, (database: DatabaseSync) => unknown]>([
    [
      'the disk is full',
      'database or disk is full',
      (database) => {
        const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {};
        database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
        return database.prepare('INSERT INTO a (x) VALUES (zeroblob(100000))').run();
      },
    ],
    [
      'the file is read-only',
      'attempt to write a readonly database',
      (database) => {
        database.exec('PRAGMA query_only = ON');
        return database.prepare('INSERT INTO a (x) VALUES (1)').run();
      },
    ],
    [
      'a file cannot be opened',
      'unable to open database',
      (database) => database.exec(`ATTACH '${join(folder, 'nowhere', 'test.db')}' AS other`),
    ],
    [
      'the file is damaged',
      'database disk image is malformed',
      (database) => {
        damageSqlite(path);
        return database.prepare('SELECT x FROM a').all();
      },
    ],
    [
      'the file is damaged, and one row is asked for',
      'database disk image is malformed',
      (database) => {
        damageSqlite(path);
        return database.prepare('SELECT x FROM a').get();
      },
    ],
  ])('is unavailable when %s', (_, words, work) => {
    const database = openSqlite(path, [{ id: 'a', sql: 'CREATE TABLE a (x ANY) STRICT' }]);
    const unavailable = expect.objectContaining({
      name: 'StoreUnavailable',
      message: expect.stringContaining(words) as unknown,
    });
    expect(() => work(database)).toThrow(unavailable);
    database.close();
  });

  it('names the file that cannot be opened, of several', () => {
    expect(() => openSqlite(folder, [])).toThrow(`unable to open database file (${folder})`);
    mkdirSync(join(folder, 'new'));
    writeFileSync(path, 'no database, '.repeat(1_000));
    expect(() => openSqlite(path, [])).toThrow(`file is not a database (${path})`);
  });

  it('is not unavailable when the statement itself is at fault', () => {
    const database = openSqlite(path, [{ id: 'a', sql: 'CREATE TABLE a (x INTEGER PRIMARY KEY) STRICT' }]);
    const insert = database.prepare('INSERT INTO a (x) VALUES (?)');
    insert.run(1);
    expect(() => insert.run(1)).toThrow(expect.objectContaining({ code: 'ERR_SQLITE_ERROR', errcode: 1555 }));
    expect(() => database.prepare('SELECT y FROM a')).toThrow(
      expect.objectContaining({ code: 'ERR_SQLITE_ERROR', errcode: 1 }),
    );
    database.close();
  });
});
