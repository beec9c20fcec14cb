/** Queries of the usage store in the embedded database: none may examine more rows than it concerns. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { useAll } from '../contract/use-all.contract.ts';
import { USAGE_MIGRATIONS } from '../../src/adapters/sqlite/schema.ts';
import { createSqliteProgress } from '../../src/adapters/sqlite/progress.ts';
import { createSqliteUsage } from '../../src/adapters/sqlite/store.ts';
import { byRecord } from '../../src/fold.ts';
import type { UsageStore } from '../../src/ports.ts';

describe('the questions of usage in SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-usage-queries-'));
  const asked: string[] = [];
  let database: DatabaseSync;

  beforeAll(async () => {
    database = openSqlite(join(folder, 'usage.db'), USAGE_MIGRATIONS);
    const recorded = new Proxy(database, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property === 'prepare') {
          return (sql: string) => {
            asked.push(sql);
            return target.prepare(sql);
          };
        }
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    await useAll(createSqliteUsage(recorded), () => () => undefined);
  });
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are answered by one index each, without a table scan', () => {
    expect(asked.length).toBeGreaterThan(15);
    for (const sql of asked) {
      const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      for (const { detail } of steps) {
        const whole = detail.startsWith('SCAN ');
        expect({ sql, detail, whole }).toEqual({ sql, detail, whole: false });
      }
    }
  });
});

describe('the changes of usage in SQLite', () => {
  const lease = { project: 'p', month: '2026-11', producer: 'a', limit: 1_000, waiting: [1], atHand: 0 };
  const entry = { project: 'p', day: '2026-11-21', endpoint: 'code', requests: 2, orders: 0 };
  const counted = (sequence: number) => byRecord([{ producer: 'a', sequence, entries: [entry] }]);
  let database: DatabaseSync;
  let usage: UsageStore;

  beforeEach(async () => {
    database = openSqlite(':memory:', USAGE_MIGRATIONS);
    usage = createSqliteUsage(database);
    await usage.take(lease);
    await usage.apply(counted(1));
  });
  afterEach(() => database.close());

  it.each([
    ['take', 'usage_lane', () => usage.take(lease)],
    ['release', 'usage_month', () => usage.release([{ ...lease, units: 1, revision: 1 }])],
    ['closeProducer', 'usage_month', () => usage.closeProducer('a')],
    ['apply', 'usage_month', () => usage.apply(counted(2))],
  ] as const)('are made whole or not at all: %s', async (_, failing, change) => {
    const all = () =>
      ['month', 'lane', 'day'].map((name) => database.prepare(`SELECT * FROM usage_${name}`).all());
    const before = all();
    // As a full disk would, between two statements.
    database.exec(`CREATE TEMP TRIGGER full BEFORE UPDATE ON ${failing}
      WHEN new.project <> '' BEGIN SELECT RAISE(FAIL, 'full'); END`);
    await expect(change()).rejects.toThrow('full');
    expect(all()).toEqual(before);
    database.exec('DROP TRIGGER full');
    await change();
    expect(all()).not.toEqual(before);
  });

  it('are on disk when they are acknowledged, also once progress was noted, which need not be', async () => {
    const synchronous = () => database.prepare('PRAGMA synchronous').get()?.synchronous;
    const before = synchronous();
    await createSqliteProgress(database).note(1_000);
    expect(synchronous()).toBe(before);
    expect(before).toBe(2);
  });
});
