/** Usage as stored by an earlier version, which reclaimed the units of lost disks: it can be read and continued. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { byRecord } from '../../src/fold.ts';
import { openUsage } from '../../src/open.ts';

const MONTH = '2026-11';
const folder = mkdtempSync(join(tmpdir(), 'hindsight-usage-before-'));
const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
const counted = (producer: string, sequence: number, requests: number) =>
  byRecord([
    {
      producer,
      sequence,
      entries: [{ project: 'p', day: `${MONTH}-21`, endpoint: 'token', status: 200, requests, orders: 0 }],
    },
  ]);

beforeAll(async () => {
  const first = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  await openUsage({ dataDir: folder }, first);
  await first.shutdown('made');
  const database = new DatabaseSync(join(folder, 'usage.db'));
  database.exec(`
    INSERT INTO usage_month (project, month, taken, requests, lease_limit) VALUES ('p', '${MONTH}', 14, 4, 1000);
    INSERT INTO usage_lane (lane, project, month, held, counted, applied, revision, lost) VALUES
      ('lost', 'p', '${MONTH}', 4, 4, 1, 2, 1), ('living', 'p', '${MONTH}', 10, 0, -1, 1, 0);
    INSERT INTO usage_day (project, day, endpoint, requests) VALUES ('p', '${MONTH}-20', 'token', 4);
    INSERT INTO usage_lane_life (lane, state, renewed_at, ended_at) VALUES
      ('lost', 'given up', 1, 2), ('living', 'open', 1, NULL);`);
  database.close();
});
afterAll(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

it('is read, leased from, counted once, closed and settled', async () => {
  const { usage } = await openUsage({ dataDir: folder }, lifecycle);
  expect(await usage.read('p', MONTH)).toMatchObject({ requests: 4, taken: 14 });
  const lease = { project: 'p', month: MONTH, producer: 'living', limit: 1_000, waiting: [1], atHand: 0 };
  expect(await usage.take(lease)).toMatchObject({ units: 9, outstanding: 10, revision: 2 });
  for (let times = 0; times < 2; times++) {
    expect(await usage.apply(counted('living', 0, 12))).toEqual([]);
    // The disk that was considered lost has turned up after all.
    expect(await usage.apply(counted('lost', 2, 3))).toEqual([]);
  }
  expect(await usage.closeProducer('living')).toEqual({ records: 1, units: 7 });
  expect(await usage.closeProducer('lost')).toEqual({ records: 0, units: 0 });
  expect(await usage.read('p', MONTH)).toMatchObject({ requests: 19, taken: 16 });
  // Of what was counted before only the endpoint is known.
  expect(await usage.read('p', MONTH)).toMatchObject({
    days: { [`${MONTH}-20`]: { token: 4 }, [`${MONTH}-21`]: { token: 15 } },
    statuses: { [`${MONTH}-21`]: { 200: 15 } },
  });
  expect(await usage.settle('2026-12', 10)).toBe(1);
  expect(await usage.read('p', MONTH)).toMatchObject({ requests: 19, taken: 19 });
});
