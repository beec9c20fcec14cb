import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, jest } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { nextTurn } from '@hindsight/kernel/turns.ts';
import { describeBus } from '../test/bus.contract.ts';
import { busOptions, thingsTopic, type BusHarness } from '../test/contract/harness.contract.ts';
import { createSqliteBus } from './sqlite.ts';

/** Short, so that a killed member's partitions are reassigned within the test's time. */
const LEASE_MS = 3_000;
const ALL_BUT_INTERVALS = ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'];

async function start(): Promise<BusHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'hindsight-bus-'));
  const path = join(folder, 'bus.sqlite');
  const beside = async (sql: string, ...values: (string | number)[]): Promise<void> => {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.prepare(sql).run(...values);
    database.close();
  };
  return {
    location: { adapter: 'sqlite', path },
    open: (options) => createSqliteBus({ ...options, path, ids: randomIds, leaseMs: LEASE_MS }),
    writeRaw: (topic, headers, value) =>
      beside(
        'INSERT INTO bus_record (topic, partition, key, headers, value, written_at) VALUES (?, 0, NULL, ?, CAST(? AS BLOB), ?)',
        topic,
        JSON.stringify(headers),
        value,
        Date.now(),
      ),
    async refuseDeadLetters(topic) {
      await beside(
        `CREATE TRIGGER refuse BEFORE INSERT ON bus_record WHEN NEW.topic = '${topic}.dead-letter' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      return () => beside('DROP TRIGGER refuse');
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

describe('Bus on SQLite', () => {
  describeBus({ broker: { none: 'the log is a file' } }, start);

  it('flushes what it acknowledges to the disk', async () => {
    const harness = await start();
    const topic = thingsTopic('flushed', 1);
    const prepare = jest.spyOn(DatabaseSync.prototype, 'prepare');
    const bus = harness.open(busOptions([topic]));
    const writer = prepare.mock.calls.findIndex(([sql]) => sql.startsWith('INSERT INTO bus_record'));
    const database = prepare.mock.contexts[writer] as DatabaseSync;
    prepare.mockRestore();
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    await bus.close();
    await harness.stop();
  });

  it('removes old events each minute, and none once it is closed', async () => {
    const harness = await start();
    const database = new DatabaseSync((harness.location as { path: string }).path);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'warn', destination });
    const open = () => harness.open({ ...busOptions([thingsTopic('old', 1)]), logger });
    const left = (): unknown => database.prepare('SELECT count(*) AS n FROM bus_record').get()!.n;
    jest.useFakeTimers({ doNotFake: ALL_BUT_INTERVALS as 'Date'[] });
    try {
      const first = open();
      database.exec(`INSERT INTO bus_record (topic, partition, headers, written_at)
        WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 3500)
        SELECT 'old', 0, '{}', 1 FROM one`);
      jest.advanceTimersByTime(60_000);
      // A thousand a turn.
      await first.close();
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      expect([left(), jest.getTimerCount(), lines]).toEqual([2_500, 0, []]);
      const second = open();
      jest.advanceTimersByTime(60_000);
      await until('all are removed', () => left() === 0);
      await second.close();
    } finally {
      jest.useRealTimers();
      database.close();
      await harness.stop();
    }
  });
});
