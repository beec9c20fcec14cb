/** The contract of every store of usage. */
import { describe, expect, it } from '@jest/globals';
import { describeAlerts } from './contract/alerts.contract.ts';
import { counted, DAY, MONTH, usageHarness, type UsagePlaces } from './contract/harness.contract.ts';
import { describeCounting } from './contract/counting.contract.ts';
import { describeProducers } from './contract/producers.contract.ts';
import { describeUpkeep } from './contract/upkeep.contract.ts';
import { byRecord } from '../src/fold.ts';
import type { UsageStore } from '../src/ports.ts';
import { auditMonth } from '../src/reconcile.ts';

export function describeUsage(name: string, places: UsagePlaces): void {
  describe(`usage in ${name}`, () => {
    const store = usageHarness(places);
    const { open, take, apply, requests } = store;
    const read = (project: string, month = MONTH) => store.usage.read(project, month);

    it('leases a share of what is left, one by one near the limit, and never more than there is', async () => {
      expect(await take('a', 100_000)).toEqual({
        units: 1000,
        outstanding: 0,
        revision: 1,
        unclaimed: 99_000,
      });
      expect(await take('a', 100_000)).toMatchObject({ units: 990, outstanding: 1000, revision: 2 });
      expect(await take('b', 2_090)).toMatchObject({ units: 1, outstanding: 0, unclaimed: 99 });
      expect(await take('b', 2_000, 50)).toMatchObject({ units: 9, unclaimed: 0 });
      expect(await take('b', 2_000)).toMatchObject({ units: 0, outstanding: 10, unclaimed: 0 });
      // The project has moved to a smaller plan.
      expect(await take('b', 5)).toMatchObject({ units: 0, unclaimed: 0 });
    });

    it('leases what waits and fits, in order; what does not fit gets nothing', async () => {
      const lease = { project: 'w', month: MONTH, producer: 'a', limit: 100 };
      const waits = (waiting: number[], atHand = 0) => store.usage.take({ ...lease, waiting, atHand });
      expect(await waits([40])).toMatchObject({ units: 40, unclaimed: 60 });
      expect(await waits([61, 20, 41, 30])).toMatchObject({ units: 50, outstanding: 40, unclaimed: 10 });
      // The first fits, together with the units that the producer has, and leaves none of them to the second.
      expect(await waits([12, 5], 4)).toMatchObject({ units: 8, unclaimed: 2 });
      // Repeated, it would otherwise gather up the rest.
      expect(await waits([30])).toMatchObject({ units: 1, unclaimed: 1 });
      expect(await waits([30], 1)).toMatchObject({ units: 0, outstanding: 99, unclaimed: 1 });
      expect(await waits([1])).toMatchObject({ units: 1, unclaimed: 0 });
    });

    it('leases no more than its producer has use for, beside what waits', async () => {
      const lease = { project: 'm', month: MONTH, producer: 'a', limit: 100_000, atHand: 0 };
      const useful = (most: number, waiting = [1]) => store.usage.take({ ...lease, waiting, most });
      expect(await useful(0)).toMatchObject({ units: 1, unclaimed: 99_999 });
      expect(await useful(40)).toMatchObject({ units: 40, unclaimed: 99_959 });
      expect(await useful(40, [50])).toMatchObject({ units: 50, unclaimed: 99_909 });
      expect(await useful(5_000)).toMatchObject({ units: 999, unclaimed: 98_910 });
      // The same if the sender believes to know the units taken.
      const sized = { ...lease, waiting: [1], most: 7, taken: 1_090 };
      expect(await store.usage.take(sized)).toMatchObject({ units: 7, unclaimed: 98_903 });
      // A gateway's disk may be lost with what it holds.
      const vast = { ...lease, project: 'v', limit: 10_000_000, waiting: [1] };
      expect(await store.usage.take(vast)).toMatchObject({ units: 10_000 });
    });

    it('is exact when several processes acquire units at once', async () => {
      const stores = [store.usage, await open(), await open()];
      let taken = 0;
      const taker = async (place: UsageStore, producer: string): Promise<void> => {
        for (;;) {
          const { units } = await take(producer, 400, 3, place);
          if (units === 0) return;
          taken += units;
        }
      };
      await Promise.all(stores.flatMap((place, i) => [taker(place, `g${i}`), taker(place, `g${i}`)]));
      expect(taken).toBe(400);
      expect((await read('p')).taken).toBe(400);
    });

    it('is exact whatever the sender of a request believes to be taken', async () => {
      const limit = 1_000;
      const waiting = (requests: number): number[] => Array<number>(requests).fill(1);
      const lease = { project: 'p', month: MONTH, producer: 'a', limit, waiting: waiting(1), atHand: 0 };
      let taken = (await store.usage.take({ ...lease, waiting: waiting(900), taken: 0 })).units;
      expect(taken).toBe(900);
      // Far less than it believes is left: the share is of the true rest.
      const next = await store.usage.take({ ...lease, producer: 'b', taken: 0 });
      expect(next).toEqual({ units: 1, outstanding: 0, revision: 1, unclaimed: 99 });
      taken += next.units;
      for (const believed of [undefined, 0, 500, 901, 999, 1_000, 5_000])
        taken += (await store.usage.take({ ...lease, waiting: waiting(5), taken: believed })).units;
      expect((await read('p')).taken).toBe(taken);
      for (let units = 1; units > 0; taken += units)
        ({ units } = await store.usage.take({ ...lease, waiting: waiting(7), taken: 0 }));
      expect(taken).toBe(limit);
      expect((await read('p')).taken).toBe(limit);
    });

    it('accepts a release once', async () => {
      const { revision } = await take('a', 1000);
      const back = { project: 'p', month: MONTH, producer: 'a', units: 4, revision };
      expect(await store.usage.release([back])).toEqual([{ ...back, revision: revision + 1 }]);
      // The release arrives again, late, as a write may if its answer was lost.
      expect(await store.usage.release([back])).toEqual([]);
      expect((await read('p')).taken).toBe(6);
      expect(await take('a', 6)).toMatchObject({ units: 0, outstanding: 6 });
    });

    it('counts each event once, however often and by whomever it is delivered', async () => {
      await apply(counted('a', 1, 2), counted('a', 2, 3), counted('b', 1, 5));
      await apply(counted('a', 1, 2), counted('a', 2, 3), counted('a', 3, 7), counted('a', 3, 7));
      await apply(counted('b', 1, 5));
      expect(await requests()).toBe(17);
    });

    it('counts once when two consumers apply the same events', async () => {
      const second = await open();
      for (let first = 0; first < 30; first += 3) {
        const events = byRecord([0, 1, 2].map((i) => counted('a', first + i, 1)));
        await Promise.all([
          store.usage.apply(events),
          second.apply(events),
          store.usage.apply(events.slice(0, 1)),
        ]);
      }
      expect(await requests()).toBe(30);
    });

    it('keeps days and endpoints, projects and months apart', async () => {
      await apply(
        {
          producer: 'a',
          sequence: 1,
          entries: [
            { project: 'p', day: DAY, endpoint: 'token-list', requests: 1, orders: 0 },
            { project: 'p', day: '2026-11-30', endpoint: 'token-list', requests: 2, orders: 0 },
            { project: 'p', day: '2026-12-01', endpoint: 'token-list', requests: 4, orders: 0 },
            { project: 'q', day: DAY, endpoint: 'token-list', requests: 8, orders: 0 },
            { project: 'q', day: DAY, requests: 0, orders: 3 },
          ],
        },
        counted('a', 2, 16),
      );
      expect(await read('p')).toEqual({
        requests: 19,
        orders: 0,
        taken: 0,
        days: { [DAY]: { 'token-list': 1, 'balance-single': 16 }, '2026-11-30': { 'token-list': 2 } },
      });
      expect(await read('p', '2026-12')).toMatchObject({ requests: 4 });
      expect(await read('q')).toMatchObject({ requests: 8, orders: 3 });
      expect(await read('unknown')).toEqual({ requests: 0, orders: 0, taken: 0, days: {} });
    });

    it('counts by day and status and by day and key, each once, and nothing where they are not known', async () => {
      const entry = { project: 'p', day: DAY, endpoint: 'token-list', orders: 0 };
      const events = [
        counted('a', 1, 1),
        {
          producer: 'a',
          sequence: 2,
          entries: [
            { ...entry, requests: 2, status: 200, key: 'k-1' },
            { ...entry, requests: 4, status: 404, key: 'k-1' },
            { ...entry, requests: 8, status: 200, key: 'k_2', day: '2026-11-22' },
            { ...entry, requests: 0, status: 400, key: 'k_3' },
          ],
        },
      ];
      await apply(...events);
      await apply(...events, counted('a', 3, 16));
      expect(await read('p')).toEqual({
        requests: 31,
        orders: 0,
        taken: 0,
        days: { [DAY]: { 'token-list': 6, 'balance-single': 17 }, '2026-11-22': { 'token-list': 8 } },
        statuses: { [DAY]: { 200: 2, 404: 4 }, '2026-11-22': { 200: 8 } },
        keys: { [DAY]: { 'k-1': 6 }, '2026-11-22': { k_2: 8 } },
      });
    });

    it('counts what a key with a cap has used in its account too, and its project once', async () => {
      const entry = { project: 'p', day: DAY, endpoint: 'token-list', orders: 0 };
      const events = [
        {
          producer: 'a',
          sequence: 1,
          entries: [
            { ...entry, requests: 2, key: 'k', status: 200, capped: true },
            { ...entry, requests: 4, key: 'k', orders: 1, capped: true },
            { ...entry, requests: 8, key: 'free' },
            { ...entry, requests: 16, key: 'free', capped: false },
          ],
        },
      ];
      await apply(...events);
      await apply(...events);
      expect(await read('p')).toMatchObject({
        requests: 30,
        orders: 1,
        days: { [DAY]: { 'token-list': 30 } },
      });
      expect(await read('p#k')).toEqual({
        requests: 6,
        orders: 0,
        taken: 0,
        days: { [DAY]: { 'token-list': 6 } },
      });
      expect(await read('p#free')).toMatchObject({ requests: 0 });
      expect(await auditMonth(store.usage, MONTH)).toMatchObject({ records: 1, requests: 30, orders: 1 });
    });

    it('persists across a restart', async () => {
      await take('a', 1000);
      await apply(counted('a', 1, 3));
      await store.restart();
      expect(await read('p')).toMatchObject({ requests: 3, taken: 10 });
    });

    describeAlerts(store);
    describeCounting(store);
    describeProducers(store);
    describeUpkeep(store);
  });
}
