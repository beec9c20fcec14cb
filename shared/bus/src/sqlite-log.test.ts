import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { createGroupMember, type GroupMember } from './sqlite-groups.ts';
import { BUS_MIGRATIONS, createAppender, createReader, trim } from './sqlite-log.ts';

const HOUR = 3_600_000;
const topic = { name: 'things', partitions: 1, retentionMs: HOUR };

describe('old records of the embedded bus', () => {
  let folder: string;
  let database: DatabaseSync;
  let now: number;
  const clock = { now: () => now };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hindsight-bus-'));
    database = openSqlite(join(folder, 'bus.sqlite'), BUS_MIGRATIONS);
    now = 1_000 * HOUR;
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  const write = (...keys: string[]): void =>
    createAppender(
      database,
      new Map([[topic.name, topic]]),
      clock,
    )(keys.map((key) => ({ topic: topic.name, key, headers: {}, value: null })));
  const keys = (): (string | null)[] => createReader(database)(topic.name, 0, 0).map(({ key }) => key);
  const member = (group: string): GroupMember =>
    createGroupMember(database, [topic], clock, { group, member: `${group}-1`, leaseMs: 5_000 });

  it('are removed once their retention is over', () => {
    write('old');
    now += HOUR / 2;
    write('new');
    now += HOUR / 2 + 1;
    expect(trim(database, [topic], clock)).toBe(1);
    expect(keys()).toEqual(['new']);
  });

  it('stay for a group that has yet to read them, until it has, or counts as gone', () => {
    write('a', 'b');
    const slow = member('slow');
    const quick = member('quick');
    now += HOUR + 1;
    for (const one of [slow, quick]) one.beat(undefined);
    expect(trim(database, [topic], clock)).toBe(0);
    const [first, second] = createReader(database)(topic.name, 0, 0);
    const of = { topic: topic.name, partition: 0 };
    expect(quick.commit(of, Number(second?.offset) + 1)).toBe(true);
    expect(slow.commit(of, Number(first?.offset) + 1)).toBe(true);
    trim(database, [topic], clock);
    expect(keys()).toEqual(['b']);
    now += HOUR + 1;
    trim(database, [topic], clock);
    expect(keys()).toEqual([]);
  });

  it('never pass their positions on to new ones', () => {
    write('a');
    const [before] = createReader(database)(topic.name, 0, 0);
    now += HOUR + 1;
    trim(database, [topic], clock);
    write('b');
    const [after] = createReader(database)(topic.name, 0, 0);
    expect(Number(after?.offset)).toBeGreaterThan(Number(before?.offset));
  });
});

describe('a partition of the embedded bus', () => {
  it('has one holder at a time: after the lease expires another takes it, and the first can no longer commit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hindsight-bus-'));
    const database = openSqlite(join(folder, 'bus.sqlite'), BUS_MIGRATIONS);
    let now = 1_000 * HOUR;
    const clock = { now: () => now };
    const memberOf = (member: string): GroupMember =>
      createGroupMember(database, [topic], clock, { group: 'g', member, leaseMs: 5_000 });
    const [asleep, awake] = [memberOf('a'), memberOf('b')];
    const of = { topic: topic.name, partition: 0 };
    try {
      expect(asleep.beat(undefined)).toEqual([of]);
      expect(asleep.commit(of, 5)).toBe(true);
      now += 4_000;
      expect(awake.beat(undefined)).toEqual([]);
      now += 2_000;
      expect(awake.beat(undefined)).toEqual([of]);
      expect(awake.next(of)).toBe(5);
      expect(asleep.commit(of, 9)).toBe(false);
      expect(awake.commit(of, 7)).toBe(true);
      expect(awake.commit(of, 6)).toBe(true);
      expect(awake.next(of)).toBe(7);
      now += 24 * HOUR;
      expect(asleep.beat(undefined)).toEqual([of]);
      // The clock was a day ahead, and is right again.
      now -= 24 * HOUR;
      expect(awake.beat(undefined)).toEqual([of]);
      expect(asleep.commit(of, 9)).toBe(false);
    } finally {
      database.close();
      await rm(folder, { recursive: true });
    }
  });
});
