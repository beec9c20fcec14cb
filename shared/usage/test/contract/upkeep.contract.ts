/** Upkeep of the records: right and small. */
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR_MS } from '@hindsight/kernel/durations.ts';
import { byRecord, type CountedEvent } from '../../src/fold.ts';
import { auditMonth } from '../../src/reconcile.ts';
import { counted, DAY, MONTH, type UsageHarness } from './harness.contract.ts';

export function describeUpkeep(store: UsageHarness): void {
  const { take, apply, requests } = store;
  const ages = { months: [MONTH], closedMs: 1, endedMs: 1 };
  const ordered = (sequence: number, project = 'p', requests = 0): CountedEvent => ({
    producer: 'orders-1',
    sequence,
    entries: [{ project, day: DAY, endpoint: 'balance-single', requests, orders: 2 }],
  });

  describe('upkeep', () => {
    it('adds up what was counted, page by page, and reports what does not agree', async () => {
      await take('a', 1_000);
      await apply(counted('a', 1, 4), ordered(1), counted('b', 1, 3));
      const projects = Array.from({ length: 450 }, (_, i) => `q${i}`);
      await store.usage.apply(byRecord(projects.map((project, i) => ordered(2 + i, project, 1))));
      const audit = await auditMonth(store.usage, MONTH);
      expect(audit).toMatchObject({ month: MONTH, records: 451, requests: 457, orders: 902, held: 3 });
      // These were counted without units.
      expect(audit.differences[0]).toMatchObject({
        project: 'p',
        comparison: 'counted and held',
        recorded: 0,
        recomputed: 3,
      });
      expect([audit.differing, audit.differences.length]).toEqual([451, 100]);
      expect((await auditMonth(store.usage, '2026-10')).records).toBe(0);
      const [last] = await store.usage.audit(MONTH, 'p', 1);
      expect(last?.project).toBe('q0');
    });

    it('leases what was counted beyond a lease, once, so that the limit has it', async () => {
      await take('a', 1_000);
      await apply(counted('a', 1, 4), counted('b', 1, 300), counted('b', 2, 7), ordered(1));
      await apply(counted('c', 1, 5, '2026-12-01'));
      expect((await auditMonth(store.usage, MONTH)).differing).toBe(1);
      expect(await store.usage.coverOverdrawn(MONTH)).toBe(307);
      expect(await store.usage.coverOverdrawn(MONTH)).toBe(0);
      expect(await auditMonth(store.usage, MONTH)).toMatchObject({ requests: 311, differing: 0 });
      // 10 are leased to the first producer.
      expect((await take('d', 320, 320)).unclaimed).toBe(0);
      expect((await store.usage.read('p', MONTH)).taken).toBe(320);
      expect(await store.usage.closeProducer('b')).toEqual({ records: 0, units: 0 });
    });

    it('settles a month: leased units are freed, and nothing more is counted in it', async () => {
      await take('a', 1_000);
      await apply(counted('a', 1, 4), ordered(1), counted('a', 2, 1, '2026-12-01'));
      expect(await store.usage.settle(MONTH, 10)).toBe(0);
      expect(await store.usage.settle('2026-12', 10)).toBe(1);
      expect(await store.usage.settle('2026-12', 10)).toBe(0);
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 4, orders: 2, taken: 4 });
      const refused = await apply(counted('a', 3, 9));
      expect(refused).toMatchObject([{ producer: 'a', month: MONTH, reason: 'its month is settled' }]);
      expect(await requests()).toBe(4);
      // Its producers hold nothing of it any more.
      expect(await store.usage.closeProducer('a')).toEqual({ records: 0, units: 0 });
      expect(await store.usage.read('p', MONTH)).toMatchObject({ taken: 4 });
      await apply(counted('a', 4, 2, '2026-12-02'));
      expect((await store.usage.read('p', '2026-12')).requests).toBe(3);
      expect((await auditMonth(store.usage, MONTH)).differing).toBe(0);
      // Some at a time.
      await apply(ordered(2, 'q'), ordered(3, 'r'));
      const settled = [];
      while (settled.at(-1) !== 0) settled.push(await store.usage.settle('2026-12', 1));
      expect(settled).toEqual([1, 1, 0]);
    });

    it('removes closed producers from the records: even then repetitions change nothing', async () => {
      await take('a', 1_000);
      await take('b', 1_000);
      await apply(counted('a', 1, 4), counted('a', 2, 1), counted('b', 1, 2));
      await store.usage.closeProducer('a');
      await sleep(20);
      await store.usage.tidyProducers({ ...ages, endedMs: HOUR_MS });
      expect(await auditMonth(store.usage, MONTH)).toMatchObject({ requests: 7, differing: 0 });
      await apply(counted('a', 1, 4), counted('a', 2, 1), counted('b', 1, 2), counted('b', 2, 3));
      expect(await requests()).toBe(10);
      expect(await auditMonth(store.usage, MONTH)).toMatchObject({ requests: 10, differing: 0 });
    });

    it('leaves a closed producer in a record that does not add up, as what an operator has to see', async () => {
      await take('a', 1_000);
      const alone = { project: 'q', day: DAY, endpoint: 'balance-single', requests: 2, orders: 0 };
      await apply(counted('a', 1, 4), counted('b', 1, 3), { producer: 'b', sequence: 2, entries: [alone] });
      for (const producer of ['a', 'b']) await store.usage.closeProducer(producer);
      await sleep(20);
      await store.usage.tidyProducers({ ...ages, endedMs: HOUR_MS });
      const { differences } = await auditMonth(store.usage, MONTH);
      expect(differences.map(({ comparison, recomputed }) => [comparison, recomputed])).toEqual([
        ['counted and held', 3],
        ['counted and held', 2],
      ]);
      expect(await store.usage.coverOverdrawn(MONTH)).toBe(5);
      expect(await auditMonth(store.usage, MONTH)).toMatchObject({ requests: 9, differing: 0 });
    });

    it('counts once while producers are removed and their events are being applied', async () => {
      const zombie = await store.open();
      for (let round = 0; round < 10; round++) {
        const producer = `a${round}`;
        await take(producer, 100_000, 3);
        const events = byRecord([1, 2, 3].map((sequence) => counted(producer, sequence, 1)));
        await store.usage.apply(events);
        await Promise.all([
          zombie.apply(events),
          store.usage
            .closeProducer(producer)
            .then(() => sleep(2))
            .then(() => store.usage.tidyProducers({ ...ages, endedMs: HOUR_MS })),
          zombie.apply(events).then(() => zombie.apply(events)),
        ]);
      }
      expect(await requests()).toBe(30);
      expect((await auditMonth(store.usage, MONTH)).differing).toBe(0);
    });

    it('forgets producers that were closed long ago and keeps what they counted', async () => {
      await take('a', 1_000);
      await apply(counted('a', 1, 4));
      await store.usage.closeProducer('a');
      await sleep(20);
      await store.usage.tidyProducers({ ...ages, endedMs: HOUR_MS });
      await store.usage.tidyProducers(ages);
      expect(await store.usage.tidyProducers(ages)).toEqual({ pruned: 0, forgotten: 0 });
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 4, taken: 4 });
      expect((await auditMonth(store.usage, MONTH)).differences).toEqual([]);
    });
  });
}
