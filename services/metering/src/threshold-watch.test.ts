import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Project } from '@hindsight/projects/project.ts';
import { recordKey, type RecordName } from '@hindsight/usage/calendar.ts';
import { ThresholdWatch, type AlertDeps } from './threshold-watch.ts';

const NOW = Date.UTC(2026, 10, 30, 23);
const NOVEMBER = { project: 'p', month: '2026-11' };
const PROJECT = { id: 'p', plan: 'enterprise', monthlyLimit: 100, rate: 10 } as Project;

describe('the watch over thresholds', () => {
  /** Units of each record. */
  let counted: Map<string, number>;
  let find: AlertDeps['projects']['findById'];
  /** Calls of the stores. */
  let calls: string[];
  let reached: number[];
  let told: number;
  let now: number;
  let planChangedAt: number | null;
  let watch: ThresholdWatch;

  beforeEach(() => {
    counted = new Map();
    find = async () => PROJECT;
    [calls, reached, told, now, planChangedAt] = [[], [], 0, NOW, null];
    const alerts: Pick<AlertDeps['alerts'], 'counted' | 'thresholdsOf' | 'reach'> = {
      async counted(records) {
        calls.push(`counted ${records.map(recordKey).join()}`);
        return records.map((record) => counted.get(recordKey(record)) ?? 0);
      },
      async thresholdsOf() {
        calls.push('thresholds');
        return [50, 100];
      },
      async reach({ threshold }) {
        const isFirst = !reached.includes(threshold);
        reached.push(threshold);
        return isFirst;
      },
    };
    watch = new ThresholdWatch({
      alerts: alerts as AlertDeps['alerts'],
      projects: { findById: (id) => find(id), planChangedAt: async () => planChangedAt },
      clock: { now: () => now },
      onReached: () => void (told += 1),
    });
  });

  /** Counts this much, and has it checked. @returns the calls of that */
  const count = async (requests: number, ...records: readonly RecordName[]): Promise<readonly string[]> => {
    for (const record of records) counted.set(recordKey(record), requests);
    await watch.check(records);
    return calls.splice(0);
  };

  it('looks up plan and thresholds when the next one is reached, or after a minute', async () => {
    expect(await count(10, NOVEMBER)).toEqual(['counted 2026-11|p', 'thresholds']);
    expect(await count(49, NOVEMBER)).toEqual(['counted 2026-11|p']);
    expect(await count(50, NOVEMBER)).toEqual(['counted 2026-11|p', 'thresholds']);
    expect([reached, told]).toEqual([[50], 1]);
    expect(await count(99, NOVEMBER)).toEqual(['counted 2026-11|p']);
    now += 60_001;
    // Reached before: nothing waits to be published.
    expect(await count(99, NOVEMBER)).toEqual(['counted 2026-11|p', 'thresholds']);
    expect([reached, told]).toEqual([[50, 50], 1]);
    await count(100, NOVEMBER);
    expect(told).toBe(2);
    // All are reached.
    expect(await count(5_000, NOVEMBER)).toEqual(['counted 2026-11|p']);
  });

  it('decides the month before for an hour, and nothing else: no other month, and no account of a key', async () => {
    const others = [
      { project: 'p', month: '2026-10' },
      { project: 'p#k', month: '2026-11' },
    ];
    expect(await count(100, ...others)).toEqual([]);
    now = Date.UTC(2026, 11, 1, 0, 59);
    expect(await count(100, NOVEMBER, ...others)).toEqual(['counted 2026-11|p', 'thresholds']);
    now = Date.UTC(2026, 11, 1, 1);
    expect(await count(100, NOVEMBER)).toEqual([]);
  });

  it('decides a past month by the limit that it ended with, or not at all', async () => {
    const december = { project: 'p', month: '2026-12' };
    now = Date.UTC(2026, 11, 1, 0, 10);
    planChangedAt = Date.UTC(2026, 11, 1);
    await count(100, NOVEMBER);
    expect([reached, told]).toEqual([[], 0]);
    await count(60, december);
    expect(reached).toEqual([50]);
    planChangedAt -= 1;
    now += 60_001;
    await count(100, NOVEMBER);
    expect(reached).toEqual([50, 50, 100]);
  });

  it('decides a month that the clock of a gateway has begun an hour before its own, at the most', async () => {
    const december = { project: 'p', month: '2026-12' };
    now = NOW - 1;
    expect(await count(100, december)).toEqual([]);
    now = NOW;
    expect(await count(100, december)).toEqual(['counted 2026-12|p', 'thresholds']);
    expect(reached).toEqual([50, 100]);
  });

  it('reaches nothing for a project that is gone, and asks no more for it', async () => {
    find = async () => null;
    expect(await count(100, NOVEMBER)).toEqual(['counted 2026-11|p', 'thresholds']);
    expect(await count(200, NOVEMBER)).toEqual(['counted 2026-11|p']);
    expect(reached).toEqual([]);
  });

  it('remembers nothing that was read before a change', async () => {
    const lookedUp = Promise.withResolvers<Project>();
    find = () => lookedUp.promise;
    const early = count(10, NOVEMBER);
    await new Promise(setImmediate);
    await watch.checkRemembered('p');
    lookedUp.resolve(PROJECT);
    await early;
    expect(await count(10, NOVEMBER)).toEqual(['counted 2026-11|p', 'thresholds']);
  });

  it('looks again after a change: at once, or where it remembers the project', async () => {
    await watch.checkRemembered('p');
    expect(calls.splice(0)).toEqual([]);
    await count(10, NOVEMBER);
    for (const look of ['checkRemembered', 'checkAgain'] as const) {
      await watch[look]('p');
      expect(calls.splice(0)).toEqual(['counted 2026-11|p', 'thresholds']);
    }
  });
});
