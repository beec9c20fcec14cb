/** What every store of usage must do. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createLifecycle, type Lifecycle } from '../lifecycle.ts';
import { createLogger } from '../logger.ts';
import { byRecord, type CountedEvent } from './fold.ts';
import { openUsage } from './open.ts';
import type { UsageStore } from './ports.ts';

/** A place for usage; each call of `fresh` gives another, empty one. */
export interface UsagePlaces {
  fresh(): Promise<{ readonly dataDir: string; readonly mongodbUrl?: string }>;
}

const MONTH = '2026-11';
const DAY = '2026-11-21';

export function describeUsage(name: string, places: UsagePlaces): void {
  describe(`usage in ${name}`, () => {
    let lifecycle: Lifecycle;
    let settings: Awaited<ReturnType<UsagePlaces['fresh']>>;
    let usage: UsageStore;
    const open = async (): Promise<UsageStore> => (await openUsage(settings, lifecycle)).usage;

    beforeEach(async () => {
      lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
      settings = await places.fresh();
      usage = await open();
    });
    afterEach(() => lifecycle.shutdown('end of test'));

    const take = (lane: string, limit: number, atLeast = 1, store = usage) =>
      store.take({ project: 'p', month: MONTH, lane, limit, atLeast });
    const counted = (lane: string, sequence: number, requests: number, day = DAY): CountedEvent => ({
      lane,
      sequence,
      entries: [{ project: 'p', day, endpoint: 'balance-single', requests, orders: 0 }],
    });
    const apply = (...events: CountedEvent[]) => usage.apply(byRecord(events));
    const requests = async (): Promise<number> => (await usage.read('p', MONTH)).requests;

    it('hands out a share of what is left, one by one near the limit, and never more than there is', async () => {
      expect(await take('a', 100_000)).toEqual({
        units: 1000,
        heldBefore: 0,
        revision: 1,
        unclaimed: 99_000,
      });
      expect(await take('a', 100_000)).toMatchObject({ units: 990, heldBefore: 1000, revision: 2 });
      expect(await take('b', 2_090)).toMatchObject({ units: 1, heldBefore: 0, unclaimed: 99 });
      expect(await take('b', 2_000, 50)).toMatchObject({ units: 9, unclaimed: 0 });
      expect(await take('b', 2_000)).toMatchObject({ units: 0, heldBefore: 10, unclaimed: 0 });
      // The plan is a smaller one now.
      expect(await take('b', 5)).toMatchObject({ units: 0, unclaimed: 0 });
    });

    it('is exact when several processes take at once', async () => {
      const stores = [usage, await open(), await open()];
      let taken = 0;
      const taker = async (store: UsageStore, lane: string): Promise<void> => {
        for (;;) {
          const { units } = await take(lane, 400, 3, store);
          if (units === 0) return;
          taken += units;
        }
      };
      await Promise.all(stores.flatMap((store, i) => [taker(store, `g${i}`), taker(store, `g${i}`)]));
      expect(taken).toBe(400);
      expect((await usage.read('p', MONTH)).taken).toBe(400);
    });

    it('takes back what a lane does not want, once', async () => {
      const { revision } = await take('a', 1000);
      const back = { project: 'p', month: MONTH, lane: 'a', units: 4, revision };
      expect(await usage.giveBack([back])).toEqual([{ ...back, revision: revision + 1 }]);
      // It comes late for a second time, as a write may whose answer was lost.
      expect(await usage.giveBack([back])).toEqual([]);
      expect((await usage.read('p', MONTH)).taken).toBe(6);
      expect(await take('a', 6)).toMatchObject({ units: 0, heldBefore: 6 });
    });

    it('counts each event once, whoever sends it how often', async () => {
      await apply(counted('a', 1, 2), counted('a', 2, 3), counted('b', 1, 5));
      await apply(counted('a', 1, 2), counted('a', 2, 3), counted('a', 3, 7), counted('a', 3, 7));
      await apply(counted('b', 1, 5));
      expect(await requests()).toBe(17);
    });

    it('counts once when two consumers are at the same events', async () => {
      const second = await open();
      for (let first = 0; first < 30; first += 3) {
        const events = byRecord([0, 1, 2].map((i) => counted('a', first + i, 1)));
        await Promise.all([usage.apply(events), second.apply(events), usage.apply(events.slice(0, 1))]);
      }
      expect(await requests()).toBe(30);
    });

    it('keeps days and endpoints, projects and months apart', async () => {
      await apply(
        {
          lane: 'a',
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
      expect(await usage.read('p', MONTH)).toEqual({
        requests: 19,
        orders: 0,
        taken: 0,
        days: { [DAY]: { 'token-list': 1, 'balance-single': 16 }, '2026-11-30': { 'token-list': 2 } },
      });
      expect(await usage.read('p', '2026-12')).toMatchObject({ requests: 4 });
      expect(await usage.read('q', MONTH)).toMatchObject({ requests: 8, orders: 3 });
      expect(await usage.read('nobody', MONTH)).toEqual({ requests: 0, orders: 0, taken: 0, days: {} });
    });

    it('gives back what a closed lane has not counted, once', async () => {
      await take('a', 10_000);
      await take('b', 10_000);
      await apply(counted('a', 1, 30));
      expect(await usage.openLanes(MONTH, 10)).toEqual([
        { lane: 'b', records: 1, units: 99 },
        { lane: 'a', records: 1, units: 70 },
      ]);
      expect(await usage.closeLane('a')).toEqual({ records: 1, units: 70 });
      expect(await usage.closeLane('a')).toEqual({ records: 0, units: 0 });
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 30, taken: 129 });
      expect(await usage.openLanes(MONTH, 10)).toEqual([{ lane: 'b', records: 1, units: 99 }]);
      expect(await usage.closeLane(randomUUID())).toEqual({ records: 0, units: 0 });
    });

    it('is still there when it is opened again', async () => {
      await take('a', 1000);
      await apply(counted('a', 1, 3));
      await lifecycle.shutdown('restart');
      lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
      usage = await open();
      expect(await usage.read('p', MONTH)).toMatchObject({ requests: 3, taken: 10 });
    });
  });
}
