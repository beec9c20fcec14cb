/** `npm run admin -- usage …` on what a real metering process has counted. */
import { openBus } from '@hindsight/bus/open.ts';
import type { EventBus } from '@hindsight/bus/port.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runAdminHere } from '../support/admin-here.ts';
import { runService, type RunningService } from '../support/service-process.ts';

describe('npm run admin -- usage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-admin-usage-'));
  const env = { DATA_DIR: folder };
  const [living, dead] = [randomUUID(), randomUUID()];
  const day = dayOf(Date.now());
  const month = day.slice(0, 7);
  let lifecycle: Lifecycle;
  let metering: RunningService;
  let bus: EventBus;
  let usage: UsageStore;
  let project: string;

  const admin = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runAdminHere(env, ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const json = async (...words: string[]): Promise<unknown> => JSON.parse(await admin(...words, '--json'));
  const recorded = (producer: string, sequence: number, endpoint: string, requests: number) => ({
    type: 'usage-recorded' as const,
    id: `${producer}:${sequence}`,
    source: `/gateway/${producer}`,
    time: Date.now(),
    sequence,
    data: { lane: producer, entries: [{ projectId: project, day, endpoint, requests }] },
  });
  const untilCounted = (requests: number): Promise<void> =>
    until('usage is counted', async () => (await usage.read(project, month)).requests === requests);

  beforeAll(async () => {
    const logger = createLogger({ name: 'test', level: 'silent' });
    lifecycle = createLifecycle(logger);
    const platform = { logger, clock: systemClock, ids: randomIds, lifecycle };
    ({ project } = (await json('project', 'create', '--name', 'Ada', '--plan', 'free')) as {
      project: string;
    });
    metering = await runService('metering', env);
    ({ bus } = await openBus({ dataDir: folder }, platform));
    ({ usage } = await openUsage({ dataDir: folder }, lifecycle));
    // Two gateways; the disk of one is lost.
    for (const producer of [living, dead])
      await usage.take({ project, month, producer, limit: 100_000, waiting: [1], atHand: 0 });
    const events = [recorded(living, 0, 'balance-single', 900), recorded(dead, 0, 'token-list', 300)];
    await bus.publish('usage.recorded', events);
    await bus.publish('usage.recorded', events);
    await untilCounted(1_200);
  });

  afterAll(async () => {
    await lifecycle.shutdown('end of test');
    await metering?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows a project’s month, as a table and as JSON', async () => {
    expect(await json('usage', 'show', project)).toEqual({
      project,
      plan: 'free',
      month,
      requests: { used: 1_200, limit: 100_000, remaining: 98_800 },
      heldByGateways: 790,
      orders: 0,
      days: { [day]: { 'balance-single': 900, 'token-list': 300 } },
      asOf: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect((await admin('usage', 'show', project)).split('\n')).toEqual([
      `project           ${project}`,
      `month             ${month}`,
      'units             1,200 of 100,000',
      'held by gateways  790',
      'orders            0',
      expect.stringMatching(/^as of {13}\d{4}-\d\d-\d\dT/),
      'day         endpoint        units',
      `${day}  balance-single  900`,
      `${day}  token-list      300`,
      '',
    ]);
    expect(await json('usage', 'show', project, '--month', '2020-02')).toMatchObject({
      month: '2020-02',
      requests: { used: 0 },
      days: {},
    });
    // The limit is today's: a past month may have had another.
    expect(await admin('usage', 'show', project, '--month', '2020-02')).toMatch(/\nunits +0\n/);
  });

  it('sets thresholds, which take effect at once in the metering process that runs', async () => {
    const set = await json('usage', 'alerts', project, '--set', '1,90');
    expect(set).toMatchObject({ project, thresholds: [1, 90] });
    await until('the first is reached', async () =>
      /reached this month +1% at 20/.test(await admin('usage', 'alerts', project)),
    );
    expect(await admin('usage', 'alerts', project)).toMatch(/alerts at +1%, 90%\n/);
    const absent = await runAdminHere(env, 'usage', 'alerts', 'no-such', '--set', '1');
    expect([absent.code, absent.stderr]).toEqual([1, 'error: there is no project "no-such"\n']);
  });

  it.each([
    [['show', 'x', '--month', '2026-13'], 'Expected a month such as 2026-11.'],
    [['alerts', 'x', '--set', ''], 'Expected percentages, such as 50,80,100, or none.'],
    [['reconcile', '--sample', '5'], '--sample and --repair need --redis'],
    [['reconcile', '--repair'], '--sample and --repair need --redis'],
  ])('refuses %j', async (words, says) => {
    const { code, stdout, stderr } = await runAdminHere(env, 'usage', ...words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(says)]);
  });

  it('finds that it adds up', async () => {
    const sums = { month, records: 1, requests: 1_200, orders: 0, held: 790 };
    expect(await json('usage', 'reconcile')).toEqual({ ...sums, differences: [], differing: 0 });
    expect(await admin('usage', 'reconcile')).toMatch(
      /units +1,200\n.*\nheld by gateways +790\ndifferences +0\n$/,
    );
  });

  it('fails where a month does not add up, so that a job which runs it does', async () => {
    const database = new DatabaseSync(join(folder, 'usage.db'));
    database.exec(
      "INSERT INTO usage_month (project, month, requests) VALUES ('changed by hand', '2020-01', 5)",
    );
    database.close();
    const words = ['usage', 'reconcile', '--month', '2020-01'];
    const stderr = 'error: the counters of 2020-01 do not add up: 2 differences\n';
    const found = await runAdminHere(env, ...words);
    expect(found).toMatchObject({ code: 1, stderr });
    expect(found.stdout).toMatch(/changed by hand +requests and days +5 +0\n/);
    const { stdout, ...ended } = await runAdminHere(env, ...words, '--json');
    expect(ended).toEqual({ code: 1, stderr });
    expect(JSON.parse(stdout)).toMatchObject({ differing: 2 });
  });

  it('shows the units of a closed gateway as free, and those of a lost disk as held', async () => {
    const closed = {
      type: 'lane-closed' as const,
      id: `${living}:closed`,
      source: `/gateway/${living}`,
      time: Date.now(),
      data: { lane: living },
    };
    const late = [recorded(dead, 1, 'token-list', 7), recorded(living, 1, 'token-list', 1), closed];
    await bus.publish('usage.recorded', late);
    await bus.publish('usage.recorded', late);
    await untilCounted(1_208);
    await until('freed', async () => (await usage.read(project, month)).taken === 1_891);
    expect(await json('usage', 'reconcile')).toMatchObject({ requests: 1_208, held: 683, differing: 0 });
    expect(await json('usage', 'show', project)).toMatchObject({
      requests: { used: 1_208 },
      heldByGateways: 683,
    });
  });
});
