/** Queries of the usage store in the embedded database: none may examine more rows than it concerns. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { useAll } from '../contract/use-all.contract.ts';
import { USAGE_MIGRATIONS } from '../../src/adapters/sqlite/schema.ts';
import { createSqliteUsage } from '../../src/adapters/sqlite/store.ts';

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
