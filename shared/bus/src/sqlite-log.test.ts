import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { GroupInUse } from './errors.ts';
import type { TakeRecords } from './log.ts';
import { createGroupMember, type GroupMember } from './sqlite-groups.ts';
import { BUS_MIGRATIONS, createAppender, createReader, trim, whenFree } from './sqlite-log.ts';
import { startSqliteMember } from './sqlite-consumer.ts';
import { scanSqlite } from './sqlite-scan.ts';

const HOUR = 3_600_000;
const topic = { name: 'things', partitions: 1, retentionMs: HOUR };
const SILENT = createLogger({ name: 'test', level: 'silent' });

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
  const member = (group: string, logger = SILENT): GroupMember =>
    createGroupMember(database, [topic], clock, { group, member: `${group}-1`, leaseMs: 5_000, logger });

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

  it('that a group had not read are told to it once when it comes back, with their number', () => {
    const lines: Record<string, unknown>[] = [];
    const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const logger = createLogger({ name: 'test', level: 'info', destination: to });
    const of = { topic: topic.name, partition: 0 };
    write('a', 'b', 'c');
    const [first] = createReader(database)(topic.name, 0, 0);
    const [before, never] = [member('left', logger), member('never', logger)];
    for (const one of [before, never]) one.beat(undefined);
    expect(before.commit(of, Number(first?.offset) + 1)).toBe(true);
    for (let hours = 0; hours < 2; hours++) {
      now += HOUR + 1;
      trim(database, [topic], clock);
      write('d');
    }
    expect(keys()).toEqual(['d']);
    for (const one of [before, before, never, member('new', logger)]) one.beat(undefined);
    const msg = 'events were deleted that this group had not read';
    const said = { level: 'error', topic: topic.name, msg };
    expect(lines).toMatchObject([
      { ...said, events: 3 },
      { ...said, events: 4 },
    ]);
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

describe('records of the embedded bus', () => {
  let database: DatabaseSync;
  const clock = { now: () => 1_000 * HOUR };
  const write = (count: number, bytes = 1): void =>
    createAppender(
      database,
      new Map(),
      clock,
    )(
      Array.from({ length: count }, () => ({
        topic: topic.name,
        key: null,
        headers: {},
        value: Buffer.alloc(bytes),
      })),
    );
  beforeEach(() => void (database = openSqlite(':memory:', BUS_MIGRATIONS)));
  afterEach(() => database.close());

  it('are read up to 4 MiB at once', () => {
    write(5, 1_500_000);
    expect(createReader(database)(topic.name, 0, 0)).toHaveLength(3);
  });

  it('are scanned up to those that were there at its beginning, within its time', async () => {
    write(1_001);
    let taken = 0;
    const scan = { topic: topic.name, group: 'g', withinMs: 60_000 };
    const deps = { clock: systemClock, ids: randomIds, logger: SILENT };
    await scanSqlite(database, deps, scan, async ({ length }) => {
      if (taken === 0) write(1);
      taken += length;
      return length;
    });
    expect(taken).toBe(1_001);
    const late = scanSqlite(database, deps, { ...scan, withinMs: -1 }, async ({ length }) => length);
    // The record that was written meanwhile.
    await expect(late).rejects.toThrow('not read to its end in time');
  });

  describe('scanned for a group', () => {
    let now: number;
    const lines: string[] = [];
    const logger = createLogger({
      name: 'test',
      level: 'info',
      destination: { write: (line: string) => void lines.push(line) },
    });
    const deps = { clock: { now: () => now }, ids: randomIds, logger };
    const WITHIN_MS = 60_000;
    const scan = (take: TakeRecords): Promise<void> =>
      scanSqlite(database, deps, { topic: topic.name, group: 'g', withinMs: WITHIN_MS }, take);
    const all: TakeRecords = async ({ length }) => length;
    beforeEach(() => {
      now = 1_000 * HOUR;
      lines.length = 0;
    });

    it('stay with their reader, whose lease each commit renews', async () => {
      write(2, 5_000_000);
      let batches = 0;
      await scan(async ({ length }) => {
        batches += 1;
        now += WITHIN_MS - 1;
        await expect(scan(all)).rejects.toThrow(GroupInUse);
        return length;
      });
      expect(batches).toBe(2);
      await scan(() => Promise.reject(new Error('taken again')));
    });

    it('are not counted as taken by a reader whose lease another one has taken meanwhile', async () => {
      write(2);
      const [first] = createReader(database)(topic.name, 0, 0);
      const late = scan(async ({ length }) => {
        now += WITHIN_MS + 1;
        await scan(async () => 1);
        return length;
      });
      await expect(late).rejects.toThrow(GroupInUse);
      const left: (string | undefined)[] = [];
      await scan(async (records) => {
        left.push(...records.map(({ offset }) => offset));
        return 0;
      });
      expect(left).toEqual([String(Number(first?.offset) + 1)]);
    });

    it('report what went wrong with them, where their lease cannot be released either', async () => {
      write(1);
      const failing = scan(() => {
        database.exec('DROP TABLE bus_lease');
        return Promise.reject(new Error('no hands free'));
      });
      await expect(failing).rejects.toThrow('no hands free');
      expect(lines).toEqual([expect.stringContaining('the lease of a reader could not be released')]);
    });
  });

  it('are written again only where another process has the lock', async () => {
    let tries = 0;
    const failing = whenFree(60_000, () => {
      tries += 1;
      throw new Error('full');
    });
    await expect(failing).rejects.toThrow('full');
    expect(tries).toBe(1);
    const busy = Object.assign(new Error('database is locked'), { errcode: 5 });
    const waiting = whenFree(-1, () => {
      tries += 1;
      throw busy;
    });
    await expect(waiting).rejects.toBe(busy);
    expect(tries).toBe(2);
  });
});

describe('a partition of the embedded bus', () => {
  let database: DatabaseSync;
  let now: number;
  let beats: number;
  const clock = { now: () => now };
  const two = { ...topic, partitions: 2 };
  const memberOf = (member: string): GroupMember =>
    createGroupMember(database, [two], clock, { group: 'g', member, leaseMs: 5_000, logger: SILENT });
  const places = (...partitions: number[]) =>
    partitions.map((partition) => ({ topic: topic.name, partition }));
  const write = (...partitions: number[]): void => {
    const insert = database.prepare(
      `INSERT INTO bus_record (topic, partition, headers, written_at) VALUES ('things', ?, '{}', 1)`,
    );
    for (const partition of partitions) insert.run(partition);
  };
  /** Runs a member, whose heartbeats are counted. */
  const run = (member: GroupMember, onBatch: Parameters<typeof startSqliteMember>[1]) => {
    const beat: GroupMember['beat'] = (busy) => {
      const held = member.beat(busy);
      beats += 1;
      return held;
    };
    let version = 0;
    const deps = { beatMs: 5, read: createReader(database), version: () => version++, logger: SILENT };
    return startSqliteMember({ ...deps, member: { ...member, beat } }, onBatch);
  };
  beforeEach(() => {
    database = openSqlite(':memory:', BUS_MIGRATIONS);
    now = 1_000 * HOUR;
    beats = 0;
  });
  afterEach(() => database.close());

  it('stays with its living holder until it gives it up, even where another member is due', () => {
    const [before, newcomer] = [memberOf('b'), memberOf('a')];
    expect(before.beat(undefined)).toEqual(places(0, 1));
    expect(newcomer.beat(undefined)).toEqual([]);
    expect(before.beat(places(0)[0])).toEqual(places(0, 1));
    expect(before.beat(undefined)).toEqual(places(1));
    expect(newcomer.beat(undefined)).toEqual(places(0));
    before.leave();
    expect(newcomer.beat(undefined)).toEqual(places(0, 1));
  });

  it('is lost by a member that was silent: its handler hears of it, and it commits no more', async () => {
    write(0);
    const other = memberOf('b');
    const outcome = Promise.withResolvers<unknown>();
    const membership = run(memberOf('a'), async ([record], link) => {
      now += 6_000;
      // As if its own heartbeats came too late.
      database.prepare('DELETE FROM bus_member').run();
      expect(other.beat(undefined)).toEqual(places(0, 1));
      await new Promise((lost) => link.signal.addEventListener('abort', lost, { once: true }));
      await link.commit(record!.offset).then(() => outcome.resolve('committed'), outcome.resolve);
    });
    expect(await outcome.promise).toMatchObject({ message: 'things-0 has passed to another member' });
    expect(other.next(places(0)[0]!)).toBe(0);
    await membership.leave();
  });

  it('that was given up while another was handled is not read any more', async () => {
    write(0, 1);
    const newcomer = memberOf('b');
    const handled: number[] = [];
    const membership = run(memberOf('a'), async ([record], link) => {
      handled.push(record!.partition);
      newcomer.beat(undefined);
      const before = beats;
      await until('its heartbeat has given one up', () => beats > before + 1);
      newcomer.beat(undefined);
      await link.commit(record!.offset);
      write(0);
    });
    await until('it goes on', () => handled.length > 2);
    await membership.leave();
    expect(new Set(handled)).toEqual(new Set([0]));
  });

  it('is handled in turns with the rest of the process, and leaves no listener behind', async () => {
    write(0, 1);
    const listen = jest.spyOn(EventTarget.prototype, 'addEventListener');
    const turns: boolean[] = [];
    let turned = false;
    const membership = run(memberOf('a'), async ([record], link) => {
      turns.push(turned);
      setImmediate(() => (turned = true));
      await link.commit(record!.offset);
      if (turns.length < 50) write(record!.partition);
    });
    await until('all are handled', () => turns.length > 50);
    const signals = listen.mock.contexts as AbortSignal[];
    listen.mockRestore();
    expect(turns.indexOf(true)).toBe(1);
    // One of the batch under way, one of the pause behind the last.
    expect(Math.max(...signals.map((signal) => getEventListeners(signal, 'abort').length))).toBeLessThan(3);
    await membership.leave();
  });

  it('has one holder at a time: after the lease expires another takes it, and the first can no longer commit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hindsight-bus-'));
    const database = openSqlite(join(folder, 'bus.sqlite'), BUS_MIGRATIONS);
    let now = 1_000 * HOUR;
    const clock = { now: () => now };
    const memberOf = (member: string): GroupMember =>
      createGroupMember(database, [topic], clock, { group: 'g', member, leaseMs: 5_000, logger: SILENT });
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
