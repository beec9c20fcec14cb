/** Counters are published before their events are acknowledged. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openBus } from '@hindsight/bus/open.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { readDeadLetters } from '@hindsight/bus/test/support/dead-letters.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { StoreUnavailable } from '@hindsight/stores/unavailable.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetering } from '../src/service.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const LANE = 'f81d4fae-7dec-4d0a-a765-00a0c91e6bf6';
const MONTH = '2026-11';

describe('a publisher of counters', () => {
  let folder: string;
  let lifecycle: Lifecycle;
  let bus: Bus;
  let usage: UsageStore;
  /** Count of each record when it was published. */
  let published: { readonly project: string; readonly requests: number }[];
  let failures: number;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hindsight-published-'));
    const logger = createLogger({ name: 'test', level: 'silent' });
    lifecycle = createLifecycle(logger);
    const deps = { logger, clock: { now: () => NOW }, ids: randomIds, lifecycle };
    ({ usage } = await openUsage({ dataDir: folder }, lifecycle));
    ({ bus } = await openBus({ dataDir: folder }, deps));
    published = [];
    failures = 0;
    const publisher = {
      async publish(records: readonly { project: string; month: string }[]) {
        if (failures-- > 0) throw new StoreUnavailable('test', 'killed before it came to this');
        for (const { project, month } of records)
          published.push({ project, requests: (await usage.read(project, month)).requests });
      },
    };
    createMetering({ ...deps, usage, bus, publisher });
  });
  afterEach(async () => {
    await lifecycle.shutdown('end of test');
    rmSync(folder, { recursive: true, force: true });
  });

  const recorded = (sequence: number, projectId: string) => ({
    type: 'usage-recorded' as const,
    id: `${LANE}:${sequence}`,
    source: `/gateway/${LANE}`,
    time: NOW,
    sequence,
    data: { lane: LANE, entries: [{ projectId, day: '2026-11-21', endpoint: 'token', requests: 1 }] },
  });
  const untilPublished = (project: string, times: number): Promise<void> =>
    until('it is published', () => published.filter((one) => one.project === project).length >= times);

  it('gets each record that a batch concerns, counted, and again with a repetition', async () => {
    await bus.publish('usage.recorded', [recorded(0, 'p')]);
    await untilPublished('p', 1);
    await bus.publish('usage.recorded', [recorded(0, 'p')]);
    await untilPublished('p', 2);
    expect(published).toEqual([
      { project: 'p', requests: 1 },
      { project: 'p', requests: 1 },
    ]);
  });

  it('gets it later where it could not be certain: the events come again, and count once', async () => {
    failures = 2;
    await bus.publish('usage.recorded', [recorded(0, 'p')]);
    await untilPublished('p', 1);
    expect(published).toEqual([{ project: 'p', requests: 1 }]);
    expect(await usage.read('p', MONTH)).toMatchObject({ requests: 1 });
    expect(await readDeadLetters(bus, 'usage.recorded')).toEqual([]);
  });
});
