import { afterAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { ORDER_INDEXES, ORDERS } from '../../src/adapters/mongodb-documents.ts';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import { describeOrderStores } from './order-stores.contract.ts';

await describeOnServers('orders on servers', { env: process.env, shared: ['mongodb'] }, ({ mongodb }) => {
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  afterAll(() => lifecycle.shutdown('test'));

  const freshUrl = (): string => {
    const url = new URL(mongodb.address);
    url.pathname = `/orders-${randomIds.next()}`;
    return url.href;
  };

  describeOrderStores('MongoDB', () =>
    openOrderStores({ dataDir: '', mongodbUrl: freshUrl() }, { ids: randomIds, lifecycle }),
  );

  // The native test server scans; see tools/servers/README.md.
  const itWithIndexes = mongodb.source === 'native' ? it.skip : it;
  itWithIndexes('finds waiting orders by an index', async () => {
    const store = await openMongodb({ url: freshUrl() }, ORDER_INDEXES, lifecycle);
    const plan = await store.db
      .collection(ORDERS)
      .find({ sent: false })
      .sort({ receivedAt: 1, _id: 1 })
      .explain();
    expect(JSON.stringify(plan)).toContain('IXSCAN');
  });
});
