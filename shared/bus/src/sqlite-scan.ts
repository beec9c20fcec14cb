/** Reads a topic of the embedded bus to its end, apart from the groups that subscribe. */
import type { DatabaseSync } from 'node:sqlite';
import type { Platform } from '@hindsight/kernel/platform.ts';
import { GroupInUse } from './errors.ts';
import type { Scan, TakeRecords } from './log.ts';
import { createSoleReader } from './sqlite-groups.ts';
import { createReader, whenFree } from './sqlite-log.ts';

const WRITE_WITHIN_MS = 5_000;
/** A topic that is scanned has one partition here. */
const PARTITION = 0;

/** Scans; for a group under a lease that each commit renews. @see EventLog.scan */
export async function scanSqlite(
  database: DatabaseSync,
  { clock, ids, logger }: Pick<Platform, 'clock' | 'ids' | 'logger'>,
  scan: Scan,
  take: TakeRecords,
): Promise<void> {
  const { topic, group, withinMs } = scan;
  if (group === undefined) return read(database, scan, 0, take);
  const identity = { group, member: ids.next(), leaseMs: withinMs };
  const reader = createSoleReader(database, { topic, partition: PARTITION }, clock, identity);
  const refuseUnless = async (write: () => boolean): Promise<void> => {
    if (!(await whenFree(WRITE_WITHIN_MS, write))) throw new GroupInUse(group);
  };
  await refuseUnless(() => reader.hold());
  try {
    await read(database, scan, reader.next(), async (records) => {
      const taken = await take(records);
      const last = records[taken - 1];
      if (last !== undefined) await refuseUnless(() => reader.commit(Number(last.offset) + 1));
      return taken;
    });
  } finally {
    await whenFree(WRITE_WITHIN_MS, () => reader.release()).catch((err: unknown) =>
      logger.warn({ err, group }, 'the lease of a reader could not be released; it ends by itself'),
    );
  }
}

async function read(
  database: DatabaseSync,
  { topic, withinMs }: Scan,
  from: number,
  take: TakeRecords,
): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  const recordsFrom = createReader(database);
  const last = database
    .prepare('SELECT coalesce(max(position), -1) AS last FROM bus_record WHERE topic = ? AND partition = ?')
    .get(topic, PARTITION)?.last as number;
  for (let next = from; next <= last;) {
    if (performance.now() > giveUpAt) throw new Error(`${topic} was not read to its end in time`);
    const records = recordsFrom(topic, PARTITION, next).filter(({ offset }) => Number(offset) <= last);
    const end = records.at(-1);
    if (end === undefined || (await take(records)) < records.length) return;
    next = Number(end.offset) + 1;
  }
}
