import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyDatabases } from './sqlite-backup.ts';
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
    const copying = copyDatabases(from, to);
    // The snapshots are taken before the first of them is copied.
    for (let n = 0; n < 200; n++) for (const insert of inserts) insert.run('y'.repeat(5_000));
    expect(await copying).toEqual(NAMES);
    for (const database of databases) database.close();
    const counts = NAMES.map((name) => {
      const copy = openSqlite(join(to, name), SCHEMA);
      const row = copy.prepare('SELECT count(*) AS n, max(text) AS last FROM entry').get();
      copy.close();
      return [row?.n, String(row?.last)[0]];
    });
    expect(counts).toEqual(NAMES.map(() => [200, 'x']));
  });

  it('is refused where one is no database', async () => {
    const from = join(folder, 'damaged');
    mkdirSync(from);
    writeFileSync(join(from, 'a.db'), 'no database '.repeat(1_000));
    await expect(copyDatabases(from, folder)).rejects.toThrow(/SQLite/);
  });
});
