/** The records of the embedded bus. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicDefinition } from '@hindsight/events/topic.ts';
import type { Clock } from '@hindsight/kernel/clock.ts';
import { primaryCode } from '@hindsight/stores/sqlite-connection.ts';
import { inTransaction, type Migration } from '@hindsight/stores/sqlite.ts';
import type { OutgoingRecord, StoredRecord } from './log.ts';

export const BUS_MIGRATIONS: readonly Migration[] = [
  {
    id: 'bus-1',
    sql: `
      CREATE TABLE bus_record (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        topic TEXT NOT NULL,
        partition INTEGER NOT NULL,
        key TEXT,
        headers TEXT NOT NULL,
        value BLOB,
        written_at INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX bus_record_by_partition ON bus_record (topic, partition, position);
      CREATE TABLE bus_offset (
        consumer_group TEXT NOT NULL,
        topic TEXT NOT NULL,
        partition INTEGER NOT NULL,
        next INTEGER NOT NULL,
        PRIMARY KEY (consumer_group, topic, partition)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE bus_group (
        consumer_group TEXT NOT NULL,
        topic TEXT NOT NULL,
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (consumer_group, topic)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE bus_member (
        consumer_group TEXT NOT NULL,
        topic TEXT NOT NULL,
        member TEXT NOT NULL,
        until INTEGER NOT NULL,
        PRIMARY KEY (consumer_group, topic, member)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE bus_lease (
        consumer_group TEXT NOT NULL,
        topic TEXT NOT NULL,
        partition INTEGER NOT NULL,
        member TEXT NOT NULL,
        until INTEGER NOT NULL,
        PRIMARY KEY (consumer_group, topic, partition)
      ) STRICT, WITHOUT ROWID;`,
  },
  { id: 'bus-2', sql: 'ALTER TABLE bus_group ADD COLUMN lost INTEGER NOT NULL DEFAULT 0' },
];

/** The byte limit of a batch, whatever its number of records. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_RECORDS = 1_000;

/** SQLite's result code for a lock of another process (https://sqlite.org/rescode.html). */
const BUSY = 5;
const BUSY_RETRY_MS = 20;

/** A topic as the log needs to know it. */
export type LogTopic = Pick<TopicDefinition, 'name' | 'partitions' | 'retentionMs'>;

/** Writes records; all of them are on disk when it returns. Positions rise in the order of the commits. */
export function createAppender(
  database: DatabaseSync,
  topics: ReadonlyMap<string, LogTopic>,
  clock: Clock,
): (records: readonly OutgoingRecord[]) => void {
  const insert = database.prepare(
    'INSERT INTO bus_record (topic, partition, key, headers, value, written_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return (records) => {
    inTransaction(database, () => {
      const now = clock.now();
      for (const { topic, key, headers, value } of records) {
        const partition = partitionOf(key, topics.get(topic)?.partitions ?? 1);
        insert.run(topic, partition, key, JSON.stringify(headers), value, now);
      }
    });
  };
}

export function createReader(
  database: DatabaseSync,
): (topic: string, partition: number, next: number) => StoredRecord[] {
  const select = database.prepare(
    'SELECT position, key, headers, value FROM bus_record WHERE topic = ? AND partition = ? AND position >= ? ORDER BY position LIMIT ?',
  );
  return (topic, partition, next) => {
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (const row of select.iterate(topic, partition, next, MAX_BATCH_RECORDS)) {
      const record = toRecord(topic, partition, row);
      records.push(record);
      bytes += record.value?.length ?? 0;
      if (bytes >= MAX_BATCH_BYTES) break;
    }
    return records;
  };
}

/**
 * Removes up to 1000 records of each partition that are older than their topic's retention, and returns their number.
 * What a group has yet to read stays: an installation that was switched off for long loses nothing. A group that has not been seen
 * for a whole retention no longer counts; if it comes back, the log says how many it has lost.
 */
export function trim(database: DatabaseSync, topics: Iterable<LogTopic>, clock: Clock): number {
  const next = `coalesce((
    SELECT next FROM bus_offset o
    WHERE o.consumer_group = g.consumer_group AND o.topic = g.topic AND o.partition = :partition
  ), 0)`;
  const remove = database.prepare(`
    DELETE FROM bus_record WHERE position IN (
      SELECT position FROM bus_record
      WHERE topic = :topic AND partition = :partition AND written_at < :before AND position < coalesce((
        SELECT min(${next}) FROM bus_group g WHERE g.topic = :topic AND g.seen_at >= :before
      ), 9007199254740991)
      ORDER BY position LIMIT 1000
    ) RETURNING position`);
  const note = database.prepare(`
    UPDATE bus_group AS g SET lost = lost + (SELECT count(*) FROM json_each(:positions) WHERE value >= ${next})
    WHERE topic = :topic`);
  let removed = 0;
  for (const { name: topic, partitions, retentionMs } of topics) {
    for (let partition = 0; partition < partitions; partition++) {
      const before = clock.now() - retentionMs;
      inTransaction(database, () => {
        const positions = remove.all({ topic, partition, before }).map(({ position }) => position as number);
        if (positions.length > 0) note.run({ topic, partition, positions: JSON.stringify(positions) });
        removed += positions.length;
      });
    }
  }
  return removed;
}

/** Runs a write as soon as other processes release the lock; after `withinMs` it throws SQLite's own error. */
export async function whenFree<T>(withinMs: number, write: () => T): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (primaryCode(error) !== BUSY || performance.now() > giveUpAt) throw error;
    }
    await sleep(BUSY_RETRY_MS);
  }
}

/** FNV-1a over UTF-16 units: the same in every process and release, as a key must not change its partition. */
function partitionOf(key: string | null, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < (key?.length ?? 0); at++) {
    hash = Math.imul(hash ^ (key?.charCodeAt(at) ?? 0), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}

function toRecord(topic: string, partition: number, row: Record<string, SQLOutputValue>): StoredRecord {
  const value = row.value as Uint8Array | null;
  return {
    topic,
    partition,
    offset: String(row.position),
    key: row.key as string | null,
    headers: JSON.parse(row.headers as string) as Record<string, string>,
    value: value && Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  };
}
