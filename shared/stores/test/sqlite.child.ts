/** Run by sqlite.test.ts as a separate process: opens a database file while others do, then writes rows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction, openSqlite, type Migration } from '../src/sqlite.ts';
import { StoreUnavailable } from '../src/unavailable.ts';

const MIGRATIONS: readonly Migration[] = [
  { id: 'things-1', sql: 'CREATE TABLE thing (writer TEXT NOT NULL, n INTEGER NOT NULL) STRICT' },
  // Not repeatable: applied twice it would fail or leave two rows.
  { id: 'things-2', sql: "INSERT INTO thing (writer, n) VALUES ('migration', 0)" },
];

const [path = '', writer = '', rows = '0'] = process.argv.slice(2);
const database = await retryLocked(() => openSqlite(path, MIGRATIONS));
const insert = database.prepare('INSERT INTO thing (writer, n) VALUES (?, ?)');
for (let n = 0; n < Number(rows); n++) {
  await retryLocked(() => inTransaction(database, () => insert.run(writer, n)));
}
database.close();

/** SQLite's lock is not fair: on a slow disk a process may wait in vain and has to try again. */
async function retryLocked<T>(work: () => T): Promise<T> {
  for (const end = Date.now() + 60_000; ; await sleep(20)) {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > end) throw error;
    }
  }
}
