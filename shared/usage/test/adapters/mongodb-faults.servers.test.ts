/** On a MongoDB that fails, usage loses nothing, counts nothing twice, and keeps the limit exact. */
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { troubleMongodb, untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { byRecord, type CountedEvent } from '../../src/fold.ts';
import { openUsage } from '../../src/open.ts';
import type { UsageStore } from '../../src/ports.ts';
import { auditMonth } from '../../src/reconcile.ts';
import { counted, MONTH } from '../contract/harness.contract.ts';

const LIMIT = 150;

await describeOnServers(
  'usage in a failing MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const database = `usage-faults-${randomUUID()}`;
    afterAll(() => lifecycle.shutdown('end of test'));

    it('leases no unit twice, counts each event once, and frees what closed producers have left', async () => {
      const troubled = await troubleMongodb(mongodb.address);
      lifecycle.onStop('the proxy', () => troubled.close());
      const open = async (mongodbUrl: string): Promise<UsageStore> =>
        (await openUsage({ dataDir: '', mongodbUrl }, lifecycle)).usage;
      const processes = [await open(troubled.url(database)), await open(troubled.url(database))];
      const direct = await open(withDatabase(mongodb.address, database));
      const ages = { months: [MONTH], closedMs: 1, endedMs: HOUR_MS };
      let requests = 0;

      /** An instance of a gateway: it leases, counts most of that, and ends. Its events arrive several times. */
      async function gateway(usage: UsageStore, other: UsageStore, limit: number): Promise<void> {
        const producer = randomUUID();
        const lease = await untilDone(() =>
          usage.take({ project: 'p', month: MONTH, producer, limit, waiting: [5], atHand: 0 }),
        );
        const spent = Math.max(lease.units - 2, 0);
        const events = Array.from({ length: spent }, (_, at): CountedEvent => counted(producer, at + 1, 1));
        requests += spent;
        const half = byRecord(events.slice(0, Math.ceil(spent / 2)));
        await untilDone(() => usage.apply(half));
        await Promise.all([usage, other].map((any) => untilDone(() => any.apply(byRecord(events)))));
        const release = { project: 'p', month: MONTH, producer, units: 1, revision: lease.revision };
        if (lease.units > 0) await untilDone(() => usage.release([release]));
        await untilDone(() => usage.closeProducer(producer));
        // A repetition that comes late changes nothing.
        await untilDone(() => other.apply(half));
      }

      await troubled.trouble(async (round) => {
        const [first, second] = processes as [UsageStore, UsageStore];
        await Promise.all([
          gateway(first, second, LIMIT * (round + 1)),
          gateway(second, first, LIMIT * (round + 1)),
          untilDone(() => first.tidyProducers(ages)),
          untilDone(() => second.read('p', MONTH)).then(({ taken }) =>
            expect(taken).toBeLessThanOrEqual(LIMIT * (round + 1)),
          ),
        ]);
      });
      expect(requests).toBeGreaterThan(0);
      // Writes whose answers were cut off may still be under way.
      await until('all is over', async () => {
        const found = await direct.read('p', MONTH);
        return found.requests === requests && found.taken === requests;
      });
      expect(await direct.read('p', MONTH)).toMatchObject({ requests, taken: requests });
      expect((await auditMonth(direct, MONTH)).differences).toEqual([]);
      await direct.settle('2026-12', 10);
      expect(await direct.read('p', MONTH)).toMatchObject({ requests, taken: requests });
    });
  },
);
