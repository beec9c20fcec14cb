import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { primaryCode, SqliteConnection } from './sqlite-connection.ts';
import { StoreUnavailable } from './unavailable.ts';

let connection: SqliteConnection;
beforeEach(() => void (connection = new SqliteConnection(':memory:')));
afterEach(() => {
  jest.restoreAllMocks();
  connection.close();
});

/** Has SQLite fail with a code. @returns what the connection throws */
function thrownFor(errcode: number | undefined): { readonly sent: Error; readonly thrown: unknown } {
  const sent = Object.assign(new Error(`code ${errcode}`), errcode !== undefined && { errcode });
  jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw sent;
  });
  try {
    return { sent, thrown: connection.exec('SELECT 1') };
  } catch (thrown) {
    return { sent, thrown };
  }
}

// https://www.sqlite.org/rescode.html
it.each([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [26, 'NOTADB'],
])('code %i (%s) is a StoreUnavailable, with any extension', (code) => {
  for (const errcode of [code, code + 3 * 256]) {
    const { sent, thrown } = thrownFor(errcode);
    expect(thrown).toMatchObject({ name: 'StoreUnavailable', cause: sent });
    expect(primaryCode(thrown)).toBe(code);
  }
});

it.each([1, 4, 19, 20, 21, 25, 787, undefined])('code %s is passed on unchanged', (code) => {
  const { sent, thrown } = thrownFor(code);
  expect(thrown).toBe(sent);
});

it('is unavailable also where a statement cannot be prepared, as its tables are locked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-sqlite-'));
  const path = join(folder, 'test.db');
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE a (x INTEGER); BEGIN EXCLUSIVE');
  const own = new SqliteConnection(path);
  expect(() => own.prepare('SELECT x FROM a')).toThrow(StoreUnavailable);
  own.close();
  other.close();
  rmSync(folder, { recursive: true });
});

it('has no code where the error is none of SQLite', () => {
  const others = ['a word', new Error(), Object.assign(new Error(), { errcode: '5' }), { errcode: 5 }];
  for (const error of others) expect(primaryCode(error)).toBeUndefined();
  expect(primaryCode(new StoreUnavailable('MongoDB', 'it is late'))).toBeUndefined();
});
