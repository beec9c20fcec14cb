import { afterAll, expect, it } from '@jest/globals';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { ORDER_INDEXES, ORDERS, type OrderDocument } from '../../src/adapters/mongodb-documents.ts';
import { listQueries, NEWEST_FIRST } from '../../src/adapters/mongodb-list.ts';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import type { OrderRecord } from '../../src/domain/order-event.ts';
import { describeOrderStores, filtersOf, recordOf } from './order-stores.contract.ts';

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

  it('knows the orders of the release before as open ones', async () => {
    const mongodbUrl = freshUrl();
    const { orders } = await openOrderStores({ dataDir: '', mongodbUrl }, { ids: randomIds, lifecycle });
    const { db } = await openMongodb({ url: mongodbUrl }, [], lifecycle);
    const record = JSON.parse(JSON.stringify(recordOf(1))) as OrderRecord;
    const old: OrderDocument = {
      _id: record.id,
      receivedAt: record.receivedAt,
      deadline: record.order.deadline,
      sent: true,
      record,
    };
    await db.collection<OrderDocument>(ORDERS).insertOne(old);
    const known = { record, state: { status: 'open' } };
    expect(await orders.find(record.id)).toEqual(known);
    for (const status of [undefined, 'open'] as const)
      expect(await orders.list({ network: 'eth-mainnet', status }, undefined, 10)).toEqual([known]);
    expect(await orders.list({ network: 'eth-mainnet', status: 'filled' }, undefined, 10)).toEqual([]);
  });

  const lists = filtersOf('0x1').flatMap((filter) =>
    [undefined, { receivedAt: 1, id: '1:0x' }].flatMap((after) =>
      listQueries(filter, after).filter((query) => query !== undefined),
    ),
  );

  it.each(lists)('lists from points or one range of the index $name', ({ name, find }) => {
    const { indexes } = ORDER_INDEXES.find(({ collection }) => collection === ORDERS)!;
    const fields = Object.keys(indexes.find((index) => index.name === name)!.key);
    const asked = Object.keys(find);
    expect(fields.slice(0, asked.length)).toEqual(asked);
    // All fields that no point fixes come in the order of the list.
    const open = fields.slice(asked.filter((field) => field !== '_id' && isPoint(find[field])).length);
    expect([['receivedAt', '_id'], ['_id']]).toContainEqual(open);
  });

  // The native test server scans; see tools/servers/README.md.
  const itWithIndexes = mongodb.source === 'native' ? it.skip : it;
  itWithIndexes('finds waiting orders, and lists, by an index', async () => {
    const store = await openMongodb({ url: freshUrl() }, ORDER_INDEXES, lifecycle);
    const plan = await store.db
      .collection(ORDERS)
      .find({ sent: false })
      .sort({ receivedAt: 1, _id: 1 })
      .explain();
    expect(JSON.stringify(plan)).toContain('IXSCAN');
    for (const { name, find } of lists) {
      const found = store.db.collection(ORDERS).find(find).sort(NEWEST_FIRST).hint(name);
      const listed = JSON.stringify((await found.explain('queryPlanner')).queryPlanner.winningPlan);
      expect(listed).toContain(`"indexName":"${name}"`);
      expect(listed).not.toMatch(/COLLSCAN|"SORT"/);
    }
  });
});

/** A value, or some values. */
function isPoint(condition: unknown): boolean {
  return typeof condition !== 'object' || condition === null || '$in' in condition;
}
