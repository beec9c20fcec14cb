/** Lanes: what lives, what was closed, what is given up. */
import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { byRecord } from '../fold.ts';
import { counted, MONTH, type UsageHarness } from './harness.contract.ts';

export function describeLanes(store: UsageHarness): void {
  const { take, apply, requests } = store;

  describe('a lane', () => {
    it('that is closed gives back what it has not counted, once', async () => {
      for (const lane of ['a', 'b']) expect(await store.usage.renewLane(lane)).toBe(true);
      await take('a', 10_000);
      await take('b', 10_000);
      await apply(counted('a', 1, 30));
      expect(await store.usage.openLanes(10)).toMatchObject([
        { lane: 'a', records: 1, units: 70 },
        { lane: 'b', records: 1, units: 99 },
      ]);
      expect(await store.usage.closeLane('a')).toEqual({ records: 1, units: 70 });
      expect(await store.usage.closeLane('a')).toEqual({ records: 0, units: 0 });
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 30, taken: 129 });
      expect(await store.usage.openLanes(10)).toMatchObject([{ lane: 'b', records: 1, units: 99 }]);
      expect(await store.usage.closeLane(randomUUID())).toEqual({ records: 0, units: 0 });
    });

    it('is told that it has ended when it is renewed', async () => {
      expect(await store.usage.renewLane('a')).toBe(true);
      expect(await store.usage.renewLane('a')).toBe(true);
      await store.usage.closeLane('a');
      expect(await store.usage.renewLane('a')).toBe(false);
      expect(await store.usage.openLanes(10)).toEqual([]);
    });

    it('cannot be given up while it may live, nor when it is closed or unknown', async () => {
      await store.usage.renewLane('a');
      await take('a', 1_000);
      expect(await store.usage.giveUpLane('a', 60_000)).toMatchObject({ outcome: 'alive' });
      expect((await store.usage.read('p', MONTH)).taken).toBe(10);
      await store.usage.closeLane('a');
      expect(await store.usage.giveUpLane('a', 0)).toEqual({ outcome: 'closed' });
      expect(await store.usage.giveUpLane('b', 0)).toEqual({ outcome: 'unknown' });
    });

    it('that is given up gives back what it has not counted, and counts nothing later in a month that is used up', async () => {
      await store.usage.renewLane('a');
      await take('a', 1_000);
      await apply(counted('a', 1, 4));
      await sleep(30);
      expect(await store.usage.giveUpLane('a', 20)).toEqual({ outcome: 'given up', records: 1, units: 6 });
      expect(await store.usage.giveUpLane('a', 20)).toEqual({ outcome: 'given up', records: 0, units: 0 });
      expect(await store.usage.renewLane('a')).toBe(false);
      // Others have them meanwhile.
      await store.usage.renewLane('b');
      await take('b', 10, 6);
      await apply(counted('b', 1, 6));
      const late = await apply(counted('a', 1, 4), counted('a', 2, 3), counted('b', 1, 6));
      expect(late).toEqual([
        expect.objectContaining({ lane: 'a', after: 1, reason: expect.stringContaining('was given up') }),
      ]);
      expect(await apply(counted('a', 1, 4))).toEqual([]);
      expect(await store.usage.read('p', MONTH)).toMatchObject({ requests: 10, taken: 10 });
      // Its disk is found after all: its next life closes it.
      expect(await store.usage.closeLane('a')).toEqual({ records: 0, units: 0 });
      expect(await requests()).toBe(10);
    });

    it('holds what it has counted and no more, when it is given up at the same time', async () => {
      const other = await store.open();
      for (let round = 0; round < 10; round++) {
        const lane = `a${round}`;
        const before = await store.usage.read('p', MONTH);
        await store.usage.renewLane(lane);
        const { units } = await take(lane, 100_000, 5);
        await sleep(3);
        const events = [1, 2, 3, 4, 5].map((sequence) => counted(lane, sequence, 1));
        const [refusals, , , , , given] = await Promise.all([
          ...events.map((event) => other.apply(byRecord([event]))),
          store.usage.giveUpLane(lane, 1),
        ]);
        expect(refusals).toBeDefined();
        const after = await store.usage.read('p', MONTH);
        const counts = after.requests - before.requests;
        // What was counted before was not given back; what was counted after it was taken anew.
        expect(given).toMatchObject({ outcome: 'given up' });
        const { units: freed } = given as { units: number };
        expect(freed).toBeLessThanOrEqual(units);
        expect(freed).toBeGreaterThanOrEqual(units - counts);
        expect(after.taken - before.taken).toBe(counts);
      }
    });
  });
}
