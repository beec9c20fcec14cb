import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';
import { LANE_LEASE_MS } from '@hindsight/shared/usage/lane-life.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import type { UsageStore } from '@hindsight/shared/usage/ports.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaneKeeper } from './keep-lane.ts';

const EVERY_MS = 30_000;
const AFTER_FAILURE_MS = 3_000;
let folder: string;
let lifecycle: Lifecycle;
let usage: UsageStore;
let keeper: LaneKeeper;
/** How the store is reached, and how often it was asked. */
let store: { away: boolean; asked: number };
let time: number;
let ended: number;
let lines: { level: string; lane?: string; msg: string }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-lane-'));
  lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  [store, time, ended, lines] = [{ away: false, asked: 0 }, Date.UTC(2026, 10, 21), 0, []];
  const clock = { now: () => time };
  ({ usage } = await openUsage({ dataDir: folder }, lifecycle, clock));
  const renewLane = async (lane: string): Promise<boolean> => {
    store.asked++;
    if (store.away) throw new StoreUnavailable('test', 'away');
    return usage.renewLane(lane);
  };
  const write = (line: string): void => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  const logger = createLogger({ name: 'gateway', level: 'info', destination: { write } });
  const onEnded = (): void => void ended++;
  keeper = new LaneKeeper({ registry: { renewLane }, lane: 'this-life', clock, logger, onEnded });
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
});

afterEach(async () => {
  keeper.stop();
  jest.useRealTimers();
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

const maySpend = (): boolean => keeper.maySpend(time);
/** Time goes on, for timers and for the clock. */
const pass = async (milliseconds: number): Promise<void> => {
  time += milliseconds;
  await jest.advanceTimersByTimeAsync(milliseconds);
};

describe('the lane of a gateway', () => {
  it('lets it spend from the first renewal on, and is renewed every 30 s', async () => {
    expect(maySpend()).toBe(false);
    await keeper.renew();
    expect(maySpend()).toBe(true);
    for (let renewals = 1; renewals <= 60; renewals++) {
      await pass(EVERY_MS);
      expect([store.asked, maySpend()]).toEqual([1 + renewals, true]);
    }
    expect(await usage.openLanes(10)).toMatchObject([{ lane: 'this-life', silentMs: 0 }]);
    expect(lines).toEqual([]);
  });

  it('lets it spend for ten minutes without the store, which is tried every 3 s, and again once it is back', async () => {
    await keeper.renew();
    store.away = true;
    await pass(EVERY_MS);
    for (let waited = EVERY_MS; waited + AFTER_FAILURE_MS < LANE_LEASE_MS; waited += AFTER_FAILURE_MS) {
      await pass(AFTER_FAILURE_MS);
      expect(maySpend()).toBe(true);
    }
    await pass(AFTER_FAILURE_MS);
    expect(maySpend()).toBe(false);
    expect(store.asked).toBe(2 + (LANE_LEASE_MS - EVERY_MS) / AFTER_FAILURE_MS);
    expect(new Set(lines.map(({ level, msg }) => `${level}: ${msg}`))).toEqual(
      new Set(['warn: the lane could not be renewed; trying again']),
    );
    store.away = false;
    await pass(AFTER_FAILURE_MS);
    expect(maySpend()).toBe(true);
    expect(ended).toBe(0);
  });

  it('does not last longer where the clock is put back', async () => {
    await keeper.renew();
    store.away = true;
    await jest.advanceTimersByTimeAsync(LANE_LEASE_MS - 1);
    expect(maySpend()).toBe(true);
    time -= LANE_LEASE_MS;
    await jest.advanceTimersByTimeAsync(1);
    expect(maySpend()).toBe(false);
  });

  it('spends nothing more, says so and ends the gateway once, when somebody has given it up', async () => {
    await keeper.renew();
    expect(await usage.giveUpLane('this-life', 0)).toMatchObject({ outcome: 'given up' });
    await pass(EVERY_MS);
    expect([maySpend(), ended]).toEqual([false, 1]);
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'fatal',
        lane: 'this-life',
        msg: expect.stringContaining('given up'),
      }),
    ]);
    await pass(10 * LANE_LEASE_MS);
    expect([store.asked, ended, jest.getTimerCount()]).toEqual([2, 1, 0]);
  });
});
