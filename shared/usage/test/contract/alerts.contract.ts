/** Thresholds of the monthly limit: each is reached once a month, and its event waits until it is published. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AlertStore } from '../../src/alerts/ports.ts';
import { InvalidThresholds } from '../../src/alerts/thresholds.ts';
import { counted, MONTH, type UsageHarness } from './harness.contract.ts';

export function describeAlerts(store: UsageHarness): void {
  describe('alerts', () => {
    let alerts: AlertStore;
    let other: AlertStore;
    const reached = (threshold: number, project = 'p', at = 1_000) => ({
      project,
      month: MONTH,
      threshold,
      requests: threshold,
      limit: 100,
      at,
    });
    const claim = (from: AlertStore, now: number, limit = 10) =>
      from.claim({ now, until: now + 1_000 }, limit);

    beforeEach(async () => {
      alerts = await store.openAlerts();
      other = await store.openAlerts();
    });

    it('are due at 80 and 100 per cent, or where a project has chosen', async () => {
      expect(await alerts.thresholdsOf('p')).toEqual([80, 100]);
      await alerts.setThresholds('p', [90, 50, 90]);
      expect(await other.thresholdsOf('p')).toEqual([50, 90]);
      expect(await other.thresholdsOf('q')).toEqual([80, 100]);
      await Promise.all([alerts.setThresholds('q', []), other.setThresholds('q', [])]);
      expect(await alerts.thresholdsOf('q')).toEqual([]);
      for (const wrong of [[0], [101], [1.5], [NaN], [1, 2, 3, 4, 5, 6]])
        await expect(alerts.setThresholds('p', wrong)).rejects.toThrow(InvalidThresholds);
    });

    it('know what is counted', async () => {
      await store.apply(counted('a', 1, 7));
      const records = [
        { project: 'none', month: MONTH },
        { project: 'p', month: MONTH },
        { project: 'p', month: '2026-10' },
      ];
      expect(await alerts.counted(records)).toEqual([0, 7, 0]);
    });

    it('are reached once a month and threshold, whichever process notices and whatever the plan', async () => {
      const told = await Promise.all(
        [alerts, other, alerts, other].map((one, i) => one.reach({ ...reached(80), limit: 100 + i })),
      );
      expect(told.filter(Boolean)).toHaveLength(1);
      expect(await other.reach(reached(80))).toBe(false);
      expect(await other.reach(reached(100))).toBe(true);
      expect(await other.reach({ ...reached(80), month: '2026-12' })).toBe(true);
      expect(await other.reach(reached(9, 'p|2'))).toBe(true);
      const seen = await alerts.reached({ project: 'p', month: MONTH });
      expect(seen.map(({ threshold }) => threshold)).toEqual([80, 100]);
      expect(await alerts.reached({ project: 'p|2', month: MONTH })).toEqual([reached(9, 'p|2')]);
      expect(await alerts.reached({ project: 'q', month: MONTH })).toEqual([]);
    });

    it('are claimed by one of several processes that ask at once', async () => {
      for (const threshold of [50, 80, 100]) await alerts.reach(reached(threshold));
      const both = await Promise.all([claim(alerts, 5_000), claim(other, 5_001)]);
      expect(both.flat()).toHaveLength(3);
    });

    it('wait until they are published; of several processes one has the claim, until it ends', async () => {
      for (const [i, threshold] of [100, 80, 50].entries()) await alerts.reach(reached(threshold, 'p', i));
      const both = (await Promise.all([claim(alerts, 5_000), claim(other, 5_000)])).flat();
      expect(both.map(({ threshold }) => threshold).sort((a, b) => a - b)).toEqual([50, 80, 100]);
      expect(await claim(other, 5_999)).toEqual([]);
      await alerts.published([reached(80)]);
      // The one that has waited longest.
      expect(await claim(other, 6_000, 1)).toEqual([reached(100, 'p', 0)]);
      expect(await claim(other, 6_000)).toEqual([reached(50, 'p', 2)]);
      expect(await claim(other, 6_000)).toEqual([]);
      await store.restart();
      alerts = await store.openAlerts();
      expect(await claim(alerts, 9_000)).toEqual([reached(100, 'p', 0), reached(50, 'p', 2)]);
      await alerts.published([reached(50), reached(100)]);
      expect(await claim(alerts, 99_000)).toEqual([]);
      expect(await alerts.reached({ project: 'p', month: MONTH })).toHaveLength(3);
    });

    it('wait no longer for a process whose clock was a day ahead', async () => {
      await alerts.reach(reached(80));
      expect(await claim(alerts, 5_000 + 24 * 3_600_000)).toHaveLength(1);
      expect(await claim(other, 5_000)).toEqual([reached(80)]);
      expect(await claim(alerts, 5_000)).toEqual([]);
    });
  });
}
