import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { laggingPrimary } from '@hindsight/stores/test/support/lagging-primary.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { startMongodbProxy } from '@hindsight/tools/servers/mongodb-proxy.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import { recordOf } from './order-stores.contract.ts';

await describeOnServers(
  'the outbox on a primary that was just elected',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    afterAll(() => lifecycle.shutdown('end of test'));

    it('gives no second number to orders that it has marked as sent', async () => {
      const proxy = await startMongodbProxy(mongodb.address);
      lifecycle.onStop('the proxy', () => proxy.close());
      proxy.intercept = laggingPrimary();
      const mongodbUrl = withDatabase(proxy.url, `orders-${randomIds.next()}`);
      const open = () => openOrderStores({ dataDir: '', mongodbUrl }, { ids: randomIds, lifecycle });
      const [one, other] = [await open(), await open()];
      for (const n of [1, 2]) await one.orders.insert(recordOf(n));
      await one.outbox.lead('a', 0, 10);
      const batch = await one.outbox.nextBatch('a', 10);
      expect(batch?.entries.map(({ sequence }) => sequence)).toEqual([1, 2]);
      await one.outbox.finish('a', batch!);
      expect(await one.outbox.nextBatch('a', 10)).toBeNull();
      // Nor does the relay that takes the lead.
      await other.outbox.lead('b', 10, 20);
      expect(await other.outbox.nextBatch('b', 10)).toBeNull();
      await one.orders.insert(recordOf(3));
      await other.outbox.lead('b', 10, 20);
      const next = await other.outbox.nextBatch('b', 10);
      expect(next?.entries.map(({ sequence, record }) => [sequence, record.id])).toEqual([
        [3, recordOf(3).id],
      ]);
    });
  },
);
