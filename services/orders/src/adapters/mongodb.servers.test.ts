import { afterAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/deploy/servers/suite.ts';
import { randomIds } from '@hindsight/shared/ids.ts';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { openMongodb } from '@hindsight/shared/stores/mongodb.ts';
import { ORDER_INDEXES, ORDERS } from './mongodb-documents.ts';
import { openOrderStores } from './open-stores.ts';
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

  // The native test server scans; see deploy/servers/README.md.
  const itWithIndexes = mongodb.source === 'native' ? it.skip : it;
  itWithIndexes('finds what waits by an index', async () => {
    const store = await openMongodb({ url: freshUrl() }, ORDER_INDEXES, lifecycle);
    const plan = await store.db
      .collection(ORDERS)
      .find({ sent: false })
      .sort({ receivedAt: 1, _id: 1 })
      .explain();
    expect(JSON.stringify(plan)).toContain('IXSCAN');
  });
});
