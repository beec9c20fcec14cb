/** Reads a topic of the embedded bus to its end, apart from the groups that subscribe: without a lease. */
import type { DatabaseSync } from 'node:sqlite';
import type { Scan, TakeRecords } from './log.ts';
import { createReader, whenFree } from './sqlite-log.ts';

const COMMIT_WITHIN_MS = 5_000;
/** A topic that is scanned has one partition here. */
const PARTITION = 0;

/** Scans. @see EventLog.scan */
export async function scanSqlite(
  database: DatabaseSync,
  { topic, group, withinMs }: Scan,
  take: TakeRecords,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  const read = createReader(database);
  const last = database
    .prepare('SELECT coalesce(max(position), -1) AS last FROM bus_record WHERE topic = ? AND partition = ?')
    .get(topic, PARTITION)?.last as number;
  let next = group === undefined ? 0 : committed(database, group, topic);
  while (next <= last) {
    if (performance.now() > giveUpAt) throw new Error(`${topic} was not read to its end in time`);
    const records = read(topic, PARTITION, next).filter(({ offset }) => Number(offset) <= last);
    if (records.length === 0) return;
    const taken = await take(records);
    const behind = records[taken - 1];
    if (behind !== undefined) next = Number(behind.offset) + 1;
    if (group !== undefined && behind !== undefined) await commit(database, group, topic, next);
    if (taken < records.length) return;
  }
}

function committed(database: DatabaseSync, group: string, topic: string): number {
  const row = database
    .prepare('SELECT next FROM bus_offset WHERE consumer_group = ? AND topic = ? AND partition = ?')
    .get(group, topic, PARTITION);
  return (row?.next as number | undefined) ?? 0;
}

/** Moves the group on, never back. */
async function commit(database: DatabaseSync, group: string, topic: string, next: number): Promise<void> {
  const upsert = database.prepare(`
    INSERT INTO bus_offset (consumer_group, topic, partition, next) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET next = max(next, excluded.next)`);
  await whenFree(COMMIT_WITHIN_MS, () => upsert.run(group, topic, PARTITION, next));
}
