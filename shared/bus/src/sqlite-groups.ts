/**
 * Group membership on the embedded bus: members, in any number of processes, share the partitions by leases. A live
 * member renews its leases at every heartbeat; those of a dead one expire. Each member computes the same assignment from
 * the list of live members; a partition changes hands only when its holder releases it.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@hindsight/kernel/clock.ts';
import type { Logger } from '@hindsight/kernel/logger.ts';
import { heldInSql, isHeld } from '@hindsight/stores/leases.ts';
import { inTransaction } from '@hindsight/stores/sqlite.ts';
import type { PartitionProgress, Position } from './port.ts';
import type { LogTopic } from './sqlite-log.ts';

export type Partition = Pick<Position, 'topic' | 'partition'>;

export interface GroupMember {
  /**
   * Sends a heartbeat, releases partitions assigned to others (unless `busy`), takes free ones; returns those
   * held.
   */
  beat(busy: Partition | undefined): Partition[];
  /** Offset at which the group continues. */
  next(of: Partition): number;
  /** Moves the group on, never back; false when another member holds the partition. */
  commit(of: Partition, next: number): boolean;
  /** Releases everything. */
  leave(): void;
}

/** Milliseconds that a member counts as alive after a heartbeat. */
interface MemberOptions {
  readonly group: string;
  readonly member: string;
  readonly leaseMs: number;
  readonly logger: Logger;
}

/** Creates a member; nothing is written before its first heartbeat. */
export function createGroupMember(
  database: DatabaseSync,
  topics: readonly LogTopic[],
  clock: Clock,
  options: MemberOptions,
): GroupMember {
  const { group, member, leaseMs, logger } = options;
  const sql = prepare(database);

  function beatTopic({ name: topic, partitions }: LogTopic, busy: Partition | undefined): Partition[] {
    const now = clock.now();
    const until = now + leaseMs;
    const events = sql.lost.get(group, topic)?.lost ?? 0;
    if (events !== 0) logger.error({ topic, events }, 'events were deleted that this group had not read');
    sql.seen.run(group, topic, now);
    sql.removeDead.run({ group, topic, now });
    sql.live.run(group, topic, member, until);
    const living = sql.living.all(group, topic).map((row) => row.member as string);
    const leases = new Map(sql.leases.all(group, topic).map((row) => [row.partition as number, row]));
    const held: Partition[] = [];
    for (let partition = 0; partition < partitions; partition++) {
      const lease = leases.get(partition);
      const mine = lease?.member === member;
      const share = living[partition % living.length] === member;
      const inHand = mine && busy?.topic === topic && busy.partition === partition;
      const free = lease === undefined || !isHeld(lease.until as number, now);
      if (inHand || (share && (mine || free))) {
        sql.take.run(group, topic, partition, member, until);
        held.push({ topic, partition });
      } else if (mine) sql.release.run(group, topic, partition, member);
    }
    return held;
  }

  return {
    beat: (busy) => inTransaction(database, () => topics.flatMap((topic) => beatTopic(topic, busy))),
    next: (of) => nextOffset(sql, group, of),
    commit: ({ topic, partition }, next) =>
      sql.commit.run({ group, topic, partition, next, member }).changes === 1,
    leave: () =>
      inTransaction(database, () => {
        sql.releaseAll.run(group, member);
        sql.leave.run(group, member);
      }),
  };
}

/** The one reader of a partition for a group that nothing subscribes with. */
export interface SoleReader {
  /** Takes the partition for `leaseMs`; false when another reader holds it. */
  hold(): boolean;
  /** Offset at which the group continues. */
  next(): number;
  /** Moves the group on, never back, and holds on for `leaseMs`; false when another reader has taken the partition. */
  commit(next: number): boolean;
  release(): void;
}

/** Creates a reader; nothing is written before it holds the partition. */
export function createSoleReader(
  database: DatabaseSync,
  of: Partition,
  clock: Clock,
  { group, member, leaseMs }: Omit<MemberOptions, 'logger'>,
): SoleReader {
  const sql = prepare(database);
  const { topic, partition } = of;
  return {
    hold() {
      const now = clock.now();
      return sql.takeFree.run({ group, ...of, member, now, until: now + leaseMs }).changes === 1;
    },
    next: () => nextOffset(sql, group, of),
    commit: (next) =>
      inTransaction(database, () => {
        if (sql.commit.run({ group, ...of, next, member }).changes === 0) return false;
        sql.take.run(group, topic, partition, member, clock.now() + leaseMs);
        return true;
      }),
    release: () => void sql.release.run(group, topic, partition, member),
  };
}

export function progressOf(
  database: DatabaseSync,
  topic: LogTopic | undefined,
  group: string,
): PartitionProgress[] {
  const committed = database.prepare(
    'SELECT next FROM bus_offset WHERE consumer_group = ? AND topic = ? AND partition = ?',
  );
  const rest = database.prepare(
    'SELECT count(*) AS waiting, max(position) AS last FROM bus_record WHERE topic = ? AND partition = ? AND position >= ?',
  );
  const { name = '', partitions = 0 } = topic ?? {};
  return Array.from({ length: partitions }, (_, partition) => {
    const next = Number(committed.get(group, name, partition)?.next ?? 0);
    const { waiting, last } = rest.get(name, partition, next) ?? {};
    const end = last === null ? next : Number(last) + 1;
    return { partition, next: BigInt(next), end: BigInt(end), waiting: Number(waiting) };
  });
}

function nextOffset({ next }: Statements, group: string, { topic, partition }: Partition): number {
  return (next.get(group, topic, partition)?.next as number | undefined) ?? 0;
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  const of = 'consumer_group = ? AND topic = ?';
  return {
    lost: database.prepare(`SELECT lost FROM bus_group WHERE ${of}`),
    // Begins to count what is lost again.
    seen: database.prepare(
      'INSERT OR REPLACE INTO bus_group (consumer_group, topic, seen_at) VALUES (?, ?, ?)',
    ),
    removeDead: database.prepare(
      `DELETE FROM bus_member WHERE consumer_group = :group AND topic = :topic AND NOT ${heldInSql('until', ':now')}`,
    ),
    live: database.prepare(
      'INSERT OR REPLACE INTO bus_member (consumer_group, topic, member, until) VALUES (?, ?, ?, ?)',
    ),
    living: database.prepare(`SELECT member FROM bus_member WHERE ${of} ORDER BY member`),
    leases: database.prepare(`SELECT partition, member, until FROM bus_lease WHERE ${of}`),
    take: database.prepare(
      'INSERT OR REPLACE INTO bus_lease (consumer_group, topic, partition, member, until) VALUES (?, ?, ?, ?, ?)',
    ),
    takeFree: database.prepare(`
      INSERT INTO bus_lease (consumer_group, topic, partition, member, until)
      VALUES (:group, :topic, :partition, :member, :until)
      ON CONFLICT DO UPDATE SET member = :member, until = :until WHERE NOT ${heldInSql('until', ':now')}`),
    release: database.prepare(`DELETE FROM bus_lease WHERE ${of} AND partition = ? AND member = ?`),
    releaseAll: database.prepare('DELETE FROM bus_lease WHERE consumer_group = ? AND member = ?'),
    leave: database.prepare('DELETE FROM bus_member WHERE consumer_group = ? AND member = ?'),
    next: database.prepare(`SELECT next FROM bus_offset WHERE ${of} AND partition = ?`),
    // One statement is one transaction: a member that has lost the lease cannot move the offset.
    commit: database.prepare(`
      INSERT INTO bus_offset (consumer_group, topic, partition, next)
      SELECT consumer_group, topic, partition, :next FROM bus_lease
      WHERE consumer_group = :group AND topic = :topic AND partition = :partition AND member = :member
      ON CONFLICT DO UPDATE SET next = max(next, excluded.next)`),
  };
}
