/** The embedded bus: one SQLite file, shared by any number of processes of one machine. */
import type { DatabaseSync } from 'node:sqlite';
import type { Ids } from '@hindsight/kernel/ids.ts';
import { deadLetterTopic, type TopicRegistry } from '@hindsight/events/topic.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { type BusDeps, createBus } from './create-bus.ts';
import { DEAD_LETTER_RETENTION_MS } from './dead-letter.ts';
import { PublishFailed } from './errors.ts';
import type { EventLog } from './log.ts';
import type { Bus } from './port.ts';
import { startSqliteMember } from './sqlite-consumer.ts';
import { createGroupMember, progressOf } from './sqlite-groups.ts';
import { BUS_MIGRATIONS, createAppender, createReader, type LogTopic, trim, whenFree } from './sqlite-log.ts';
import { scanSqlite } from './sqlite-scan.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';

export interface SqliteBusDeps<Registry extends TopicRegistry> extends BusDeps<Registry> {
  /** The file; created with its folder if missing. */
  readonly path: string;
  readonly ids: Ids;
  /**
   * Milliseconds that a dead member keeps its partitions; 5 s by default. Heartbeats are five times as
   * frequent.
   */
  readonly leaseMs?: number;
}

const DEFAULT_LEASE_MS = 5_000;
/** A lock of another process is retried, so that waiting does not block the event loop. */
const BUSY_TIMEOUT_MS = 100;
const WRITE_WITHIN_MS = 10_000;
const TRIM_EVERY_MS = 60_000;
const TRIM_ROUNDS = 20;

/** Opens the file and starts the bus on it. */
export function createSqliteBus<Registry extends TopicRegistry>(
  deps: SqliteBusDeps<Registry>,
): Bus<Registry> {
  return createBus(openLog(deps), deps);
}

function openLog(deps: SqliteBusDeps<TopicRegistry>): EventLog {
  const topics = logTopics(deps.topics);
  const writer = open(deps.path, 'FULL');
  // A power loss may lose offsets and leases: events are then delivered again, so these writes need no flush.
  // As a separate connection it also sees this process's writes as changes.
  const groups = open(deps.path, 'NORMAL');
  const append = createAppender(writer, topics, deps.clock);
  const read = createReader(groups);
  const watch = createWatch(groups);
  const trimming = setInterval(() => void trimAll(), TRIM_EVERY_MS);
  trimming.unref();
  const leaseMs = deps.leaseMs ?? DEFAULT_LEASE_MS;

  async function trimAll(): Promise<void> {
    try {
      for (let round = 0; round < TRIM_ROUNDS && writer.isOpen; round++) {
        if (trim(writer, topics.values(), deps.clock) === 0) return;
        await nextTurn();
      }
    } catch (err) {
      deps.logger.warn({ err }, 'old events could not be removed; trying again later');
    }
  }

  return {
    async append(records) {
      try {
        await whenFree(WRITE_WITHIN_MS, () => append(records));
      } catch (cause) {
        throw new PublishFailed((cause as Error).message, { cause });
      }
    },
    join({ group, topics: wanted }, onBatch) {
      const subscribed = wanted.flatMap((name) => topics.get(name) ?? []);
      const logger = deps.logger.child({ group });
      const identity = { group, member: deps.ids.next(), leaseMs, logger };
      const member = createGroupMember(groups, subscribed, deps.clock, identity);
      const memberDeps = { member, beatMs: Math.ceil(leaseMs / 5), read, version: watch, logger };
      return startSqliteMember(memberDeps, onBatch);
    },
    scan: (scan, take) => scanSqlite(groups, deps, scan, take),
    progress: async (group, name) => progressOf(groups, topics.get(name), group),
    check: async () => void groups.prepare('SELECT 1').get(),
    async close() {
      clearInterval(trimming);
      groups.close();
      writer.close();
    },
  };
}

function open(path: string, synchronous: 'FULL' | 'NORMAL'): DatabaseSync {
  const database = openSqlite(path, BUS_MIGRATIONS);
  database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}

function logTopics(registry: TopicRegistry): ReadonlyMap<string, LogTopic> {
  const topics = Object.values(registry).flatMap(({ name, partitions, retentionMs }): LogTopic[] => [
    { name, partitions, retentionMs },
    { name: deadLetterTopic(name), partitions: 1, retentionMs: DEAD_LETTER_RETENTION_MS },
  ]);
  return new Map(topics.map((topic) => [topic.name, topic]));
}

/**
 * Creates a function that tells whether another connection has committed since the last call, without reading
 * the file (https://sqlite.org/pragma.html#pragma_data_version). Several members share it: each sees every
 * change.
 */
function createWatch(database: DatabaseSync): () => number {
  const version = database.prepare('PRAGMA data_version');
  return () => version.get()?.data_version as number;
}
