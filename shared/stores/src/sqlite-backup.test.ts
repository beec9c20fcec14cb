import { afterAll, describe, expect, it, jest } from '@jest/globals';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { copyDatabases } from './sqlite-backup.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { openSqlite } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'hindsight-copies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ['a.db', 'b.db', 'c.db'];
const SCHEMA = [{ id: 'one', sql: 'CREATE TABLE entry (n INTEGER PRIMARY KEY, text TEXT) STRICT' }];

describe('a copy of database files', () => {
  it('has all of them as they were at one moment, whatever is written while they are copied', async () => {
    const [from, to] = ['from', 'to'].map((name) => join(folder, name)) as [string, string];
    mkdirSync(to, { recursive: true });
    const databases = NAMES.map((name) => openSqlite(join(from, name), SCHEMA));
    const inserts = databases.map((database) => database.prepare('INSERT INTO entry (text) VALUES (?)'));
    for (let n = 0; n < 200; n++) for (const insert of inserts) insert.run('x'.repeat(5_000));
    const executed = jest.spyOn(SqliteConnection.prototype, 'exec');
    const closed = jest.spyOn(SqliteConnection.prototype, 'close');
    const copying = copyDatabases(from, to);
    // No process writes to one that is read already and then to one that is not: first all are locked.
    const begun = executed.mock.calls.flatMap(([sql]) => /BEGIN.*/.exec(sql) ?? []);
    expect(begun).toEqual([...NAMES.map(() => 'BEGIN IMMEDIATE'), ...NAMES.map(() => 'BEGIN')]);
    // Writers are waited for.
    for (const [sql] of executed.mock.calls) expect(sql).toMatch(/^PRAGMA busy_timeout = 5000; BEGIN/);
    executed.mockRestore();
    // The snapshots are taken before the first of them is copied.
    for (let n = 0; n < 200; n++) for (const insert of inserts) insert.run('y'.repeat(5_000));
    expect(await copying).toEqual(NAMES);
    // The locks, the snapshots and the copies.
    expect(closed).toHaveBeenCalledTimes(3 * NAMES.length);
    closed.mockRestore();
    for (const database of databases) database.close();
    // Each is one file, without a log: that is what bytes 18 and 19 say.
    for (const name of NAMES) expect([...readFileSync(join(to, name)).subarray(18, 20)]).toEqual([1, 1]);
    const counts = NAMES.map((name) => {
      const copy = openSqlite(join(to, name), SCHEMA);
      const row = copy.prepare('SELECT count(*) AS n, max(text) AS last FROM entry').get();
      copy.close();
      return [row?.n, String(row?.last)[0]];
    });
    expect(counts).toEqual(NAMES.map(() => [200, 'x']));
  });

  it('leaves nothing open where one of them cannot be read', async () => {
    const from = join(folder, 'some');
    for (const name of NAMES) openSqlite(join(from, name), SCHEMA).close();
    let snapshots = 0;
    jest.spyOn(SqliteConnection.prototype, 'exec').mockImplementation(function (
      this: SqliteConnection,
      sql: string,
    ) {
      if (sql.endsWith('; BEGIN') && ++snapshots === 2) throw new Error('it cannot be read');
      DatabaseSync.prototype.exec.call(this, sql);
    });
    const closed = jest.spyOn(SqliteConnection.prototype, 'close');
    await expect(copyDatabases(from, folder)).rejects.toThrow('it cannot be read');
    expect(closed).toHaveBeenCalledTimes(NAMES.length + 2);
    jest.restoreAllMocks();
  });

  it('is refused where a page of one is damaged', async () => {
    const from = join(folder, 'damaged page');
    const database = openSqlite(join(from, 'a.db'), SCHEMA);
    const insert = database.prepare('INSERT INTO entry (text) VALUES (?)');
    for (let n = 0; n < 200; n++) insert.run('x'.repeat(1_000));
    database.close();
    const file = openSync(join(from, 'a.db'), 'r+');
    writeSync(file, Buffer.alloc(4_096, 0xff), 0, 4_096, 10 * 4_096);
    closeSync(file);
    await expect(copyDatabases(from, folder)).rejects.toThrow(/a\.db is damaged: /);
  });

  it('is refused where one is no database', async () => {
    const from = join(folder, 'damaged');
    mkdirSync(from);
    writeFileSync(join(from, 'a.db'), 'no database '.repeat(1_000));
    await expect(copyDatabases(from, folder)).rejects.toThrow(/SQLite/);
  });
});
