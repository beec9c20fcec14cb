import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * For tests: damages a database while others have it open. All pages but the first, which holds the schema's beginning,
 * are overwritten, and connections that have cached some of them read them again.
 */
export function damageSqlite(path: string): void {
  const database = new DatabaseSync(path);
  // A write of another connection makes all others drop their cached pages.
  database.exec('PRAGMA user_version = 1');
  const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
  const { page_size: size } = database.prepare('PRAGMA page_size').get() ?? {};
  const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {};
  database.close();
  if (busy !== 0) throw new Error('another connection reads or writes: not everything is in the file yet');
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(Number(size) * (Number(pages) - 1), 0xff), 0, undefined, Number(size));
  closeSync(file);
}
