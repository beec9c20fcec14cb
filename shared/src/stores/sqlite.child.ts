/** Run by sqlite.test.ts as a process of its own: opens a database file while others do, then writes rows. */
import { inTransaction, openSqlite, type Migration } from './sqlite.ts';

const MIGRATIONS: readonly Migration[] = [
  { id: 'things-1', sql: 'CREATE TABLE thing (writer TEXT NOT NULL, n INTEGER NOT NULL) STRICT' },
  // Not repeatable: applied twice it would fail or leave two rows.
  { id: 'things-2', sql: "INSERT INTO thing (writer, n) VALUES ('migration', 0)" },
];

const [path = '', writer = '', rows = '0'] = process.argv.slice(2);
const database = openSqlite(path, MIGRATIONS);
const insert = database.prepare('INSERT INTO thing (writer, n) VALUES (?, ?)');
for (let n = 0; n < Number(rows); n++) inTransaction(database, () => insert.run(writer, n));
database.close();
