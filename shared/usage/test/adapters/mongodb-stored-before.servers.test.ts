/** Usage as stored by an earlier version, which reclaimed the units of lost disks: it can be read and continued. */
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb, type MongoStore } from '@hindsight/stores/mongodb.ts';
import { byRecord } from '../../src/fold.ts';
import { USAGE_INDEXES, type UsageDocument } from '../../src/adapters/mongodb/documents.ts';
import { createMongodbUsage } from '../../src/adapters/mongodb/store.ts';

const MONTH = '2026-11';
const [lost, living] = [randomUUID(), randomUUID()];
const counted = (producer: string, sequence: number, requests: number) =>
  byRecord([
    {
      producer,
      sequence,
      entries: [{ project: 'p', day: `${MONTH}-21`, endpoint: 'token', status: 200, requests, orders: 0 }],
    },
  ]);

await describeOnServers(
  'usage in MongoDB as it was',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    let store: MongoStore;

    beforeAll(async () => {
      const url = withDatabase(mongodb.address, `usage-before-${randomUUID()}`);
      store = await openMongodb({ url }, USAGE_INDEXES, lifecycle);
      const document = {
        _id: `${MONTH}|p`,
        month: MONTH,
        taken: 14,
        leaseLimit: 1_000,
        requests: 4,
        orders: 0,
        lanes: {
          [lost]: { held: 4, counted: 4, applied: 1, revision: 2, lost: true },
          [living]: { held: 10, revision: 1 },
        },
        holders: [living],
        days: { [`${MONTH}-20`]: { token: 4 } },
      };
      await store.db.collection<UsageDocument>('usage').insertOne(document);
      const long = new Date('2026-11-20');
      await store.db.collection<{ _id: string; [field: string]: unknown }>('usage_lanes').insertMany([
        { _id: lost, state: 'given up', renewedAt: long, endedAt: long },
        { _id: living, state: 'open', renewedAt: long },
        { _id: randomUUID(), state: 'giving up', renewedAt: long, endedAt: long },
      ]);
    });
    afterAll(async () => {
      await store?.db.dropDatabase();
      await lifecycle.shutdown('the suite is over');
    });

    it('is read, leased from, counted once, closed and settled', async () => {
      const usage = createMongodbUsage(store);
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 4, taken: 14 });
      const lease = { project: 'p', month: MONTH, producer: living, limit: 1_000, waiting: [1], atHand: 0 };
      expect(await usage.take(lease)).toMatchObject({ units: 9, outstanding: 10, revision: 2 });
      for (let times = 0; times < 2; times++) {
        expect(await usage.apply(counted(living, 0, 12))).toEqual([]);
        // The disk that was considered lost has turned up after all.
        expect(await usage.apply(counted(lost, 2, 3))).toEqual([]);
      }
      expect(await usage.closeProducer(living)).toEqual({ records: 1, units: 7 });
      expect(await usage.closeProducer(lost)).toEqual({ records: 0, units: 0 });
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 19, taken: 16 });
      await usage.tidyProducers({ months: [MONTH], closedMs: 0, endedMs: 0 });
      // Of what was counted before only the endpoint is known.
      expect(await usage.read('p', MONTH)).toMatchObject({
        days: { [`${MONTH}-20`]: { token: 4 }, [`${MONTH}-21`]: { token: 15 } },
        statuses: { [`${MONTH}-21`]: { 200: 15 } },
      });
      expect(await usage.settle('2026-12', 10)).toBe(1);
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 19, taken: 19 });
    });
  },
);
