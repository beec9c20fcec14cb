/** The book of tracks beside an embedded index: a file that several processes may have open, as DuckDB's may not. */
import { openSqlite, type Migration } from '@hindsight/stores/sqlite.ts';
import type { Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import type { TrackBook, TrackReport, TrackWish } from '../ports.ts';

const MIGRATIONS: readonly Migration[] = [
  {
    id: 'holders-1',
    sql: `
      CREATE TABLE wish (
        track TEXT PRIMARY KEY, wish TEXT NOT NULL, from_block INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE report (track TEXT PRIMARY KEY, report TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  },
];

/** Opens the file, which is made when it is first opened. */
export function openSqliteTrackBook(path: string, lifecycle: Lifecycle): TrackBook {
  const database = openSqlite(path, MIGRATIONS);
  lifecycle.onStop('tracks of the index of holders (SQLite)', () => database.close());
  const wishes = database.prepare('SELECT track, wish, from_block FROM wish ORDER BY track');
  const wish = database.prepare('INSERT OR REPLACE INTO wish VALUES (?, ?, ?)');
  const reports = database.prepare('SELECT report FROM report ORDER BY track');
  const report = database.prepare('INSERT OR REPLACE INTO report VALUES (?, ?)');
  return {
    wishes: async () =>
      wishes.all().map((row) => ({
        track: row.track as string,
        wish: row.wish as TrackWish['wish'],
        fromBlock: Number(row.from_block),
      })),
    wish: async (made) => void wish.run(made.track, made.wish, made.fromBlock),
    reports: async () => reports.all().map((row) => JSON.parse(row.report as string) as TrackReport),
    async report(made) {
      for (const one of made) report.run(one.track, JSON.stringify(one));
    },
    async forget(track) {
      for (const table of ['wish', 'report'])
        database.prepare(`DELETE FROM ${table} WHERE track = ?`).run(track);
    },
  };
}
