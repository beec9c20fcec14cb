import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { untilDeadLetters } from '@hindsight/bus/test/support/dead-letters.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetering } from '../src/service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const producer = randomUUID();
let folder: string;
let lifecycle: Lifecycle;
let bus: Bus;
let usage: UsageStore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-metering-'));
  const logger = createLogger({ name: 'test', level: 'silent' });
  lifecycle = createLifecycle(logger);
  const deps = { logger, clock: { now: () => NOW }, ids: randomIds, lifecycle };
  ({ usage } = await openUsage({ dataDir: folder }, lifecycle));
  ({ bus } = await openBus({ dataDir: folder }, deps));
  createMetering({ ...deps, usage, bus });
});

afterEach(async () => {
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

const recorded = (sequence: number, day: string, requests: number, units?: number) => ({
  type: 'usage-recorded' as const,
  id: `${producer}:${sequence}`,
  source: `/gateway/${producer}`,
  time: NOW,
  sequence,
  data: { lane: producer, entries: [{ projectId: 'p', day, endpoint: 'balance-single', requests, units }] },
});
const closed = {
  type: 'lane-closed' as const,
  id: `${producer}:closed`,
  source: `/gateway/${producer}`,
  time: NOW,
  data: { lane: producer },
};

describe('metering', () => {
  it('counts each event once, in its own month, and frees the unspent units of a closed producer', async () => {
    await usage.take({ project: 'p', month: '2026-11', producer, limit: 5_000, waiting: [1], atHand: 0 });
    const events = [recorded(0, '2026-11-21', 3), recorded(1, '2026-10-20', 5), recorded(2, '2026-11-20', 4)];
    await bus.publish('usage.recorded', events);
    await bus.publish('usage.recorded', [...events, closed]);
    await until('all counted', async () => (await usage.read('p', '2026-11')).taken === 7);
    expect(await usage.read('p', '2026-11')).toEqual({
      requests: 7,
      orders: 0,
      taken: 7,
      days: { '2026-11-20': { 'balance-single': 4 }, '2026-11-21': { 'balance-single': 3 } },
    });
    expect(await usage.read('p', '2026-10')).toMatchObject({ requests: 5 });
  });

  it('counts what requests cost, in portions too, and frees exactly the others of what was leased', async () => {
    await usage.take({ project: 'p', month: '2026-11', producer, limit: 5_000, waiting: [900], atHand: 0 });
    const day = '2026-11-21';
    const events = [recorded(0, day, 3), recorded(1, day, 2, 70), recorded(2, day, 0, 500)];
    await bus.publish('usage.recorded', [...events, ...events, closed]);
    await until('all counted', async () => (await usage.read('p', '2026-11')).taken === 573);
    expect(await usage.read('p', '2026-11')).toMatchObject({
      requests: 573,
      days: { [day]: { 'balance-single': 573 } },
    });
  });

  it('dead-letters usage that is too late, and continues', async () => {
    await bus.publish('usage.recorded', [recorded(0, '2026-10-01', 1), recorded(1, '2026-11-21', 2)]);
    const deadLetters = await untilDeadLetters(bus, 'usage.recorded', 1);
    await until('one is counted', async () => (await usage.read('p', '2026-11')).requests === 2);
    expect(deadLetters.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('2026-10-01 is more than 35 days ago'),
    ]);
    expect((await usage.read('p', '2026-11')).requests).toBe(2);
    expect((await usage.read('p', '2026-10')).requests).toBe(0);
  });
});
