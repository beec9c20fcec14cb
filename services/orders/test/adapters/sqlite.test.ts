import { afterAll, expect, it } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { listSql, listValues } from '../../src/adapters/sqlite-list.ts';
import { ORDER_MIGRATIONS } from '../../src/adapters/sqlite-schema.ts';
import { skipSequences } from '../../src/service.ts';
import { describeOrderStores, filtersOf, recordOf } from './order-stores.contract.ts';

const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
const folder = mkdtempSync(join(tmpdir(), 'orders-'));
let opened = 0;

afterAll(async () => {
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

const open = (dataDir: string, embedded = false) =>
  openOrderStores({ dataDir, embedded }, { ids: randomIds, lifecycle });

describeOrderStores('SQLite', () => open(join(folder, String(opened++))));

it('searches an index for every list, and sorts nothing', () => {
  const database = openSqlite(join(folder, 'plans.db'), ORDER_MIGRATIONS);
  for (const after of [undefined, { receivedAt: 1, id: '1:0x' }]) {
    for (const filter of filtersOf('0x1')) {
      const plan = database
        .prepare(`EXPLAIN QUERY PLAN ${listSql(filter, after)}`)
        .all(listValues(filter, after, 10))
        .map(({ detail }) => String(detail));
      expect(plan.filter((step) => step.includes('SEARCH orders USING INDEX orders_list'))).not.toEqual([]);
      expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([]);
    }
  }
  database.close();
});

it('knows the orders of the release before as open ones', async () => {
  const dataDir = join(folder, 'before');
  const old = openSqlite(join(dataDir, 'orders.db'), ORDER_MIGRATIONS.slice(0, 2));
  const record = recordOf(1);
  old
    .prepare('INSERT INTO orders (id, received_at, deadline, record) VALUES (?, ?, 1, ?)')
    .run(record.id, record.receivedAt, JSON.stringify(record));
  old.close();
  const { orders } = await open(dataDir);
  const known = { record: JSON.parse(JSON.stringify(record)) as unknown, state: { status: 'open' } };
  expect(await orders.find(record.id)).toEqual(known);
  expect(await orders.list({ network: 'eth-mainnet', status: 'open' }, undefined, 10)).toEqual([known]);
});

it('uses no sequence again that was published after an earlier restore of the same backup', async () => {
  const restoredAt = async (now: number): Promise<number> => {
    const dataDir = join(folder, `restored at ${now}`);
    const { orders, outbox } = await open(dataDir);
    const skipped = await skipSequences(
      { dataDir },
      { ids: randomIds, clock: { now: () => now }, lifecycle },
    );
    await orders.insert(recordOf(1));
    await outbox.lead('a', now, now + 100);
    const { sequence } = (await outbox.nextBatch('a', 1))!.entries[0]!;
    expect(sequence).toBe(skipped + 1);
    return sequence;
  };
  const [first, aDayLater] = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)];
  // All that a thousand orders a second would have used in between.
  expect((await restoredAt(aDayLater)) - (await restoredAt(first))).toBeGreaterThanOrEqual(86_400_000);
});

it('searches a real chain from its own position, whatever was read of the dev chain before', async () => {
  const dataDir = join(folder, 'switched');
  const [devchain, mainnet] = [await open(dataDir, true), await open(dataDir)];
  const [there, here] = [devchain.watch('eth-mainnet'), mainnet.watch('eth-mainnet')];
  const at = (number: number) => ({ from: number, number, hash: `0x${number}`, movedAt: 0 });
  const status = { state: 'following' as const, detail: '', finalized: null, at: 0 };
  for (const [watch, number] of [
    [there, 1],
    [here, 2],
  ] as const) {
    const lease = { holder: 'a', until: 1, status: { ...status, blocksPerSecond: 0, logsPerSecond: 0 } };
    expect(await watch.claim(lease, 0)).toBe(true);
    expect(await watch.position()).toBeNull();
    await watch.advance(null, at(number));
  }
  expect([await there.position(), await here.position()]).toEqual([at(1), at(2)]);
});

it('finds its orders, its source and its batch again in the next process', async () => {
  const dataDir = join(folder, 'again');
  const first = await open(dataDir);
  await first.orders.insert(recordOf(1));
  await first.outbox.lead('a', 0, 1);
  const batch = await first.outbox.nextBatch('a', 1);
  const second = await open(dataDir);
  await second.outbox.lead('b', 1, 2);
  expect(await second.outbox.nextBatch('b', 1)).toEqual(batch);
});
