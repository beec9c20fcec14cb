import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openMongodb } from '@hindsight/stores/mongodb.ts';
import { USAGE_INDEXES } from '../../src/adapters/mongodb/documents.ts';
import { createMongodbUsage } from '../../src/adapters/mongodb/store.ts';

const MONTH = '2026-11';
const AGES = { months: [MONTH], closedMs: 1, endedMs: HOUR_MS };

await describeOnServers(
  'a lease that reaches MongoDB after its producer was closed',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    afterAll(() => lifecycle.shutdown('the suite is over'));

    it('is free again once the producer is taken out of the records', async () => {
      const url = withDatabase(mongodb.address, `usage-late-${randomUUID()}`);
      const store = await openMongodb({ url }, USAGE_INDEXES, lifecycle);
      const usage = createMongodbUsage(store);
      const producer = randomUUID();
      const lease = { project: 'p', month: MONTH, producer, limit: 1_000, waiting: [], atHand: 0 };
      await usage.take(lease);
      await usage.closeProducer(producer);
      const { units } = await usage.take(lease);
      expect(units).toBeGreaterThan(0);
      expect(await usage.read('p', MONTH)).toMatchObject({ taken: units });
      await sleep(20);
      expect(await usage.tidyProducers(AGES)).toMatchObject({ pruned: 1 });
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 0, taken: 0 });
      await store.db.dropDatabase();
    });
  },
);
