/** Reads a topic of the embedded bus to its end, apart from the groups that subscribe. */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Ids } from '@hindsight/kernel/ids.ts';
import { heldInSql } from '@hindsight/stores/leases.ts';
import { GroupInUse } from './errors.ts';
import type { Scan, TakeRecords } from './log.ts';
import { createReader, whenFree } from './sqlite-log.ts';

const COMMIT_WITHIN_MS = 5_000;
/** A topic that is scanned has one partition here. */
const PARTITION = 0;

/** Scans, for a group under a lease that lasts as long as the reading may. @see EventLog.scan */
export async function scanSqlite(
  database: DatabaseSync,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  scan: Scan,
  take: TakeRecords,
): Promise<void> {
  const { topic, group, withinMs } = scan;
  if (group === undefined) return read(database, scan, take);
  const member = ids.next();
  const lease = database.prepare(`
    INSERT INTO bus_lease (consumer_group, topic, partition, member, until)
    VALUES (:group, :topic, ${PARTITION}, :member, :until)
    ON CONFLICT DO UPDATE SET member = :member, until = :until WHERE NOT ${heldInSql('bus_lease.until', ':now')}`);
  const now = clock.now();
  const of = { group, topic, member };
  const taken = await whenFree(COMMIT_WITHIN_MS, () => lease.run({ ...of, now, until: now + withinMs }));
  if (taken.changes === 0) throw new GroupInUse(group);
  try {
    await read(database, scan, take);
  } finally {
    const release = database.prepare(
      'DELETE FROM bus_lease WHERE consumer_group = :group AND topic = :topic AND member = :member',
    );
    await whenFree(COMMIT_WITHIN_MS, () => release.run(of));
  }
}

async function read(
  database: DatabaseSync,
  { topic, group, withinMs }: Scan,
  take: TakeRecords,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  const recordsFrom = createReader(database);
  const last = database
    .prepare('SELECT coalesce(max(position), -1) AS last FROM bus_record WHERE topic = ? AND partition = ?')
    .get(topic, PARTITION)?.last as number;
  let next = group === undefined ? 0 : committed(database, group, topic);
  while (next <= last) {
    if (performance.now() > giveUpAt) throw new Error(`${topic} was not read to its end in time`);
    const records = recordsFrom(topic, PARTITION, next).filter(({ offset }) => Number(offset) <= last);
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
