/** A store that answers but cannot count: events wait for it and are not dead-lettered. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HandlerUnavailable } from '@hindsight/bus/errors.ts';
import type { Bus } from '@hindsight/bus/port.ts';
import { readDeadLetters } from '@hindsight/bus/test/support/dead-letters.ts';
import { createSqliteBus } from '@hindsight/bus/sqlite.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { TOPICS } from '@hindsight/events/topics.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { openSqlite } from '@hindsight/stores/sqlite.ts';
import { RecordTooLarge } from '@hindsight/stores/too-large.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { USAGE_MIGRATIONS } from '@hindsight/usage/adapters/sqlite/schema.ts';
import { createSqliteUsage } from '@hindsight/usage/adapters/sqlite/store.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOrders } from '../src/consumers/orders-received.ts';
import { countUsage } from '../src/consumers/usage-recorded.ts';
import { createMetering } from '../src/service.ts';

const RETRY = { attempts: 3, firstDelayMs: 1, maxDelayMs: 20 };
const PROJECTS = 200;
const producer = randomUUID();
const day = dayOf(Date.now());
const month = day.slice(0, 7);

const recorded = (sequence: number, projects: readonly string[]) => ({
  type: 'usage-recorded' as const,
  id: `${producer}:${sequence}`,
  source: `/gateway/${producer}`,
  time: Date.now(),
  sequence,
  data: {
    lane: producer,
    entries: projects.map((projectId) => ({ projectId, day, endpoint: 'balance-single', requests: 1 })),
  },
});
const closed = {
  type: 'lane-closed' as const,
  id: `${producer}:closed`,
  source: `/gateway/${producer}`,
  time: Date.now(),
  data: { lane: producer },
};

describe('metering on a full disk', () => {
  let folder: string;
  let lifecycle: Lifecycle;
  let database: DatabaseSync;
  let usage: UsageStore;
  let bus: Bus;
  /** Lines of the log. */
  let lines: string[];

  const logged = (text: string): number => lines.filter((line) => line.includes(text)).length;

  beforeEach(() => {
    lines = [];
    folder = mkdtempSync(join(tmpdir(), 'hindsight-failing-store-'));
    const write = (line: string): void => void lines.push(line);
    const logger = createLogger({ name: 'test', level: 'warn', destination: { write } });
    const deps = { logger, clock: systemClock, ids: randomIds };
    lifecycle = createLifecycle(logger);
    database = openSqlite(join(folder, 'usage.db'), USAGE_MIGRATIONS);
    lifecycle.onStop('usage', () => database.close());
    usage = createSqliteUsage(database);
    bus = createSqliteBus({ ...deps, topics: TOPICS, path: join(folder, 'events.db'), retry: RETRY });
    lifecycle.onStop('bus', () => bus.close());
    createMetering({ ...deps, lifecycle, usage, bus });
  });
  afterEach(async () => {
    await lifecycle.shutdown('end of test');
    rmSync(folder, { recursive: true, force: true });
  });

  it('counts everything once there is room again, and writes no dead letter', async () => {
    const projects = Array.from({ length: PROJECTS }, (_, i) => `${i}-`.padEnd(200, 'x'));
    await usage.take({
      project: projects[0]!,
      month,
      producer,
      limit: 5_000,
      waiting: Array(50).fill(1),
      atHand: 0,
    });
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {};
    database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    await bus.publish('usage.recorded', [recorded(0, projects), recorded(1, projects)]);
    const failures = (): number => logged('a handler failed');
    await until(
      'retried, or dead-lettered',
      () => failures() > 3 * RETRY.attempts || logged('dead-lettered') > 0,
    );
    expect(logged('dead-lettered')).toBe(0);
    expect(await usage.read(projects[0]!, month)).toMatchObject({ requests: 0, taken: 50 });
    database.exec('PRAGMA max_page_count = 1000000');
    await bus.publish('usage.recorded', [recorded(2, projects), closed]);
    await until('the producer is closed', async () => (await usage.read(projects[0]!, month)).taken === 3);
    const counted = await Promise.all(projects.map(async (one) => (await usage.read(one, month)).requests));
    expect(counted).toEqual(projects.map(() => 3));
    expect(await readDeadLetters(bus, 'usage.recorded')).toEqual([]);
  });
});

describe('an error of the store', () => {
  const received = { topic: 'usage.recorded' as const, partition: 0, offset: '0' };
  const context = { topic: 'usage.recorded', partition: 0, signal: new AbortController().signal };
  const failing = (error: Error) => ({
    apply: () => Promise.reject(error),
    closeProducer: () => Promise.reject(error),
  });
  const deps = { clock: systemClock, onCounted: () => undefined, onClosed: () => undefined };
  const usageOn = (error: Error) => countUsage({ ...deps, usage: failing(error) });
  const order = {
    type: 'order-received' as const,
    id: 'o',
    source: '/orders/1',
    time: Date.now(),
    sequence: 1,
    data: { projectId: 'p', receivedAt: new Date().toISOString() },
  };

  it.each([
    ['a request', (error: Error) => usageOn(error)([{ ...recorded(0, ['p']), ...received }], context)],
    [
      'the end of a producer',
      (error: Error) => {
        const usage = { ...failing(error), apply: async () => [] };
        return countUsage({ ...deps, usage })([{ ...closed, ...received }], context);
      },
    ],
    [
      'an order',
      (error: Error) =>
        countOrders(failing(error), systemClock)([{ ...order, ...received } as never], context),
    ],
  ])('makes %s wait, whatever the error', async (_, handle) => {
    const error = new Error('an error of an unknown kind');
    await expect(handle(error)).rejects.toThrow(HandlerUnavailable);
    await expect(handle(error)).rejects.toMatchObject({ cause: error });
  });

  it('abandons an event whose record has grown too large: it would always be refused', async () => {
    const refusal = new RecordTooLarge(new Error('larger than 16777216'));
    const handled = usageOn(refusal)([{ ...recorded(0, ['p']), ...received }], context);
    await expect(handled).rejects.toBe(refusal);
  });
});
