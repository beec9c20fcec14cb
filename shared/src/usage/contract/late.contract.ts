/** Usage of lanes that were given up, when it comes after all: counted where its month has room. */
import { describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { byRecord, type CountedEvent } from '../fold.ts';
import { auditMonth } from '../reconcile.ts';
import { counted, DAY, MONTH, type UsageHarness } from './harness.contract.ts';

const NO_ROOM = 'its lane was given up, and its month has no units left for it';

export function describeLateUsage(store: UsageHarness): void {
  const { take, apply } = store;
  const month = (project = 'p') => store.usage.read(project, MONTH);
  const differences = async () => (await auditMonth(store.usage, MONTH)).differences;
  const refused = (lane: string, after: number) => ({
    ...{ lane, project: 'p', month: MONTH, after },
    reason: NO_ROOM,
  });
  /** A gateway that has taken so many units and ended. */
  const giveUp = async (lane: string): Promise<void> => {
    await sleep(5);
    expect(await store.usage.giveUpLane(lane, 1)).toMatchObject({ outcome: 'given up' });
  };
  const lost = async (lane: string, limit: number, units: number): Promise<void> => {
    await store.usage.renewLane(lane);
    await take(lane, limit, units);
    await giveUp(lane);
  };

  describe('usage of a lane that was given up', () => {
    it('is counted once as long as its month has room, and no further', async () => {
      await lost('a', 100, 20);
      await take('b', 100, 95);
      const late = [counted('a', 1, 2), counted('a', 2, 3), counted('a', 3, 1), counted('a', 4, 1)];
      expect(await apply(...late)).toEqual([refused('a', 2)]);
      expect(await month()).toMatchObject({ requests: 5, taken: 100, days: { [DAY]: expect.anything() } });
      expect(await apply(...late)).toEqual([refused('a', 2)]);
      expect(await apply(...late.slice(0, 2))).toEqual([]);
      await apply(counted('b', 1, 95));
      expect(await month()).toMatchObject({ requests: 100, taken: 100 });
      expect(await differences()).toEqual([]);
      // Nobody has more of it than there is.
      expect(await take('c', 100)).toMatchObject({ units: 0 });
    });

    it('is counted by whole events, in their order', async () => {
      await lost('a', 100, 20);
      const { revision } = await take('b', 100, 97);
      const entry = { project: 'p', day: DAY, endpoint: 'token-list', requests: 2, orders: 0 };
      const twofold: CountedEvent = { lane: 'a', sequence: 1, entries: [entry, entry] };
      expect(await apply(twofold, counted('a', 2, 1))).toEqual([refused('a', -1)]);
      expect(await month()).toMatchObject({ requests: 0, taken: 97 });
      await store.usage.giveBack([{ project: 'p', month: MONTH, lane: 'b', units: 1, revision }]);
      expect(await apply(twofold, counted('a', 2, 1))).toEqual([refused('a', 1)]);
      expect(await month()).toMatchObject({ requests: 4, taken: 100 });
      expect(await differences()).toEqual([]);
    });

    it('is counted or refused by each record for itself', async () => {
      await store.usage.renewLane('a');
      for (const project of ['p', 'q'])
        await store.usage.take({ project, month: MONTH, lane: 'a', limit: 100, atLeast: 20 });
      await giveUp('a');
      await take('b', 100, 100);
      const entry = { day: DAY, endpoint: 'token-list', requests: 3, orders: 0 };
      const entries = [
        { ...entry, project: 'p' },
        { ...entry, project: 'q' },
      ];
      expect(await apply({ lane: 'a', sequence: 1, entries })).toEqual([refused('a', -1)]);
      expect([await month(), await month('q')]).toMatchObject([
        { requests: 0, taken: 100 },
        { requests: 3, taken: 3 },
      ]);
    });

    it('is measured against the limit of the last lease', async () => {
      await lost('a', 100, 20);
      await take('b', 12, 10);
      expect(await apply(counted('a', 1, 2), counted('a', 2, 1))).toEqual([refused('a', 1)]);
      await take('b', 14, 1);
      expect(await apply(counted('a', 2, 1))).toEqual([]);
      expect(await month()).toMatchObject({ requests: 3, taken: 14 });
    });

    it('is not counted in a month that is settled', async () => {
      await lost('a', 100, 20);
      await store.usage.settle('2026-12', 10);
      expect(await apply(counted('a', 1, 2))).toMatchObject([{ after: -1, reason: 'its month is settled' }]);
    });

    it('shares what is left with other lanes that were given up', async () => {
      await lost('a', 100, 20);
      await lost('b', 100, 20);
      await take('c', 100, 95);
      const late = [counted('a', 1, 3), counted('b', 1, 3), counted('a', 2, 1), counted('c', 1, 95)];
      expect(await apply(...late)).toEqual([refused('b', -1)]);
      expect(await month()).toMatchObject({ requests: 99, taken: 99 });
      expect(await differences()).toEqual([]);
    });

    it('never takes a month above its limit, while others take and two consumers are at it', async () => {
      const [first, second] = [await store.open(), await store.open()];
      for (let round = 1; round <= 5; round++) {
        const [limit, before] = [40 * round, (await month()).requests];
        await lost(`a${round}`, limit, 30);
        const late = byRecord(Array.from({ length: 15 }, (_, i) => counted(`a${round}`, i, 2)));
        let taken = 0;
        const taker = async (): Promise<void> => {
          for (;;) {
            const { units } = await take(`b${round}`, limit, 3, second);
            if (units === 0) return;
            taken += units;
          }
        };
        await Promise.all([first.apply(late), taker(), store.usage.apply(late)]);
        const { requests, taken: all } = await month();
        expect([all, requests - before]).toEqual([limit, limit - before - taken]);
        // What is counted is a beginning of it; the rest is refused whenever it comes.
        const after = (requests - before) / 2 - 1;
        expect(await first.apply(late)).toEqual(after === 14 ? [] : [refused(`a${round}`, after)]);
        await apply(counted(`b${round}`, 0, taken));
      }
      expect(await month()).toMatchObject({ requests: 200, taken: 200 });
      expect(await differences()).toEqual([]);
    });
  });
}
