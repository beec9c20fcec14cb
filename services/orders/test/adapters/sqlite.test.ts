import { afterAll, expect, it } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import { describeOrderStores, recordOf } from './order-stores.contract.ts';

const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
const folder = mkdtempSync(join(tmpdir(), 'orders-'));
let opened = 0;

afterAll(async () => {
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

const open = (dataDir: string) => openOrderStores({ dataDir }, { ids: randomIds, lifecycle });

describeOrderStores('SQLite', () => open(join(folder, String(opened++))));

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
