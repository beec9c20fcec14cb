/** On a MongoDB that fails, no order is lost, and each has one sequence number. */
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { troubleMongodb, untilDone } from '@hindsight/stores/test/support/troubled-mongodb.ts';
import { withDatabase } from '@hindsight/tools/servers/mongodb-database.ts';
import { describeOnServers } from '@hindsight/tools/servers/suite.ts';
import { afterAll, expect, it } from '@jest/globals';
import { openOrderStores } from '../../src/adapters/open-stores.ts';
import type { Batch, OrderStores } from '../../src/ports.ts';
import { recordOf } from './order-stores.contract.ts';

const AT_ONCE = 3;
const BATCH = 4;
const ALL = { chainIds: [], own: 1, others: 1 };

await describeOnServers(
  'orders in a failing MongoDB',
  { env: process.env, shared: ['mongodb'] },
  ({ mongodb }) => {
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const database = `orders-faults-${randomIds.next()}`;
    afterAll(() => lifecycle.shutdown('end of test'));

    it('are stored once, published under one number each, and verified until they are removed', async () => {
      const troubled = await troubleMongodb(mongodb.address);
      lifecycle.onStop('the proxy', () => troubled.close());
      const open = (mongodbUrl: string): Promise<OrderStores> =>
        openOrderStores({ dataDir: '', mongodbUrl }, { ids: randomIds, lifecycle });
      const processes = await Promise.all(['a', 'b'].map(() => open(troubled.url(database))));
      const direct = await open(withDatabase(mongodb.address, database));
      const numbers = new Map<string, Set<number>>();
      const verified = new Map<string, number>();
      let stored = 0;

      function publish(batch: Batch | null): void {
        for (const { record, sequence } of batch?.entries ?? [])
          numbers.set(record.id, (numbers.get(record.id) ?? new Set()).add(sequence));
      }
      async function take({ orders }: OrderStores): Promise<void> {
        const record = recordOf(++stored);
        await untilDone(() => orders.insert(record));
        // It is acknowledged: the same again is a duplicate.
        expect(await untilDone(() => orders.insert(record))).toBe('duplicate');
        expect(await untilDone(() => orders.has(record.id))).toBe(true);
      }
      /** Leads of no length: the lead changes at every step, also while an earlier leader still publishes. */
      async function relay({ outbox }: OrderStores, name: string): Promise<void> {
        await untilDone(() => outbox.lead(name, 0, 0));
        const batch = await untilDone(() => outbox.nextBatch(name, BATCH));
        publish(batch);
        if (batch !== null) await untilDone(() => outbox.finish(name, batch));
      }
      async function verify({ pending }: OrderStores, claim: string): Promise<void> {
        const order = { ...recordOf(1), claim, digest: '0xd1', attempts: 0 };
        await untilDone(() => pending.add(order, 0));
        await untilDone(() => pending.postpone(claim, 1));
        const due = await untilDone(() => pending.takeDue(ALL, 1, 1));
        for (const one of due) {
          verified.set(one.claim, (verified.get(one.claim) ?? 0) + 1);
          // Its own process may have looked already.
          await untilDone(() => pending.remove(one.claim));
        }
        // An interrupted call's claims are due again: here at once.
        if (verified.has(claim)) await untilDone(() => pending.remove(claim));
      }

      await troubled.trouble(async (round) => {
        await Promise.all(
          processes.map(async (stores, at) => {
            await Promise.all(Array.from({ length: AT_ONCE }, () => take(stores)));
            await relay(stores, `relay ${at}`);
            await verify(stores, `${round} ${at}`);
          }),
        );
      });
      await direct.outbox.lead('last', 0, 1);
      for (;;) {
        const batch = await direct.outbox.nextBatch('last', 100);
        if (batch === null) break;
        publish(batch);
        await direct.outbox.finish('last', batch);
      }
      expect([...numbers.keys()].sort()).toEqual(
        Array.from({ length: stored }, (_, n) => recordOf(n + 1).id).sort(),
      );
      const all = [...numbers.values()].flatMap((one) => [...one]);
      expect(all.sort((a, b) => a - b)).toEqual(Array.from({ length: stored }, (_, n) => n + 1));
      expect(await direct.outbox.waiting(10)).toBe(0);
      for (const { claim } of await direct.pending.takeDue(ALL, 1_000, 1_000)) {
        expect(verified.has(claim)).toBe(false);
      }
    });
  },
);
