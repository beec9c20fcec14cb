/** Producers: some are closed, some never are. */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { byRecord } from '../../src/fold.ts';
import { auditMonth } from '../../src/reconcile.ts';
import { counted, MONTH, type UsageHarness } from './harness.contract.ts';

export function describeProducers(store: UsageHarness): void {
  const { take, apply, requests } = store;

  describe('a producer', () => {
    it('frees what it has not counted when it is closed, once', async () => {
      const { revision } = await take('a', 10_000);
      await take('b', 10_000);
      await apply(counted('a', 1, 30));
      expect(await store.usage.closeProducer('a')).toEqual({ records: 1, units: 70 });
      expect(await store.usage.closeProducer('a')).toEqual({ records: 0, units: 0 });
      // It gave them back itself, and that was slow on its way.
      const back = { project: 'p', month: MONTH, producer: 'a', units: 70, revision };
      expect(await store.usage.release([back])).toEqual([]);
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 30, taken: 129 });
      expect(await store.usage.closeProducer(randomUUID())).toEqual({ records: 0, units: 0 });
    });

    it('frees its units of many projects when it is closed', async () => {
      const projects = Array.from({ length: 450 }, (_, i) => `q${i}`);
      const lease = { month: MONTH, producer: 'a', limit: 1_000, waiting: [1], atHand: 0 };
      for (const project of projects) await store.usage.take({ ...lease, project });
      expect(await store.usage.closeProducer('a')).toEqual({ records: 450, units: 4_500 });
      for (const project of projects) expect((await store.usage.read(project, MONTH)).taken).toBe(0);
    });

    it('keeps its units until the month is settled if it is never closed, and is counted however late', async () => {
      await take('a', 100, 20);
      await take('b', 100, 80);
      expect(await take('c', 100)).toMatchObject({ units: 0, unclaimed: 0 });
      await apply(counted('b', 1, 80));
      await store.usage.closeProducer('b');
      expect(await take('c', 100)).toMatchObject({ units: 0, unclaimed: 0 });
      expect(await apply(counted('a', 1, 15), counted('a', 1, 15))).toEqual([]);
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 95, taken: 100 });
      expect((await auditMonth(store.usage, MONTH)).differences).toEqual([]);
      await store.usage.settle('2026-12', 10);
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 95, taken: 95 });
      expect(await requests()).toBe(95);
    });

    it('keeps exactly what it counted when it is closed while its events are applied', async () => {
      const other = await store.open();
      for (let round = 0; round < 10; round++) {
        const producer = `a${round}`;
        const before = await store.usage.read('p', MONTH);
        await take(producer, 100_000, 5);
        const events = [1, 2, 3, 4, 5].map((sequence) => counted(producer, sequence, 1));
        await store.usage.apply(byRecord(events.slice(0, 3)));
        // Another instance of the metering service lags behind: it repeats what was counted.
        await Promise.all([
          store.usage.closeProducer(producer),
          ...events.slice(0, 3).map((event) => other.apply(byRecord([event]))),
          other.closeProducer(producer),
        ]);
        const after = await store.usage.read('p', MONTH);
        expect([after.requests - before.requests, after.taken - before.taken]).toEqual([3, 3]);
      }
    });
  });
}
