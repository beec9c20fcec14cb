import { afterEach, describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@hindsight/kernel/durations.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { cases } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openUsage } from '@hindsight/usage/open.ts';
import type { LeaseRequest, QuotaLedger } from '@hindsight/usage/ports.ts';
import { auditMonth } from '@hindsight/usage/reconcile.ts';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeasedQuota } from './leased-quota.ts';
import { KeyCapUsedUp, MonthUsedUp } from './project-quota.ts';
import { ACCOUNT, PROJECT, type MovedClock } from '../../../test/support/quota-gateway.ts';
import { QuotaWorld, type Weather } from '../../../test/support/quota-world.ts';

const START = Date.UTC(2026, 10, 30, 23, 59);

function clockAt(time: number): MovedClock {
  const clock = { time, now: () => clock.time };
  return clock;
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A ledger in a folder of its own, for one test. */
async function openLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-quota-'));
  const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
  ends.push(async () => {
    await lifecycle.shutdown('end of test');
    rmSync(folder, { recursive: true, force: true });
  });
  return (await openUsage({ dataDir: folder }, lifecycle)).usage;
}

function openQuota(ledger: QuotaLedger, clock = clockAt(START)): LeasedQuota {
  return new LeasedQuota({ ledger, producer: randomUUID(), clock, onFailure: () => undefined });
}

const at = fc.nat(2);
/** Often so low that the month is used up. */
const limit = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2_000 }));
/** Costs of concurrent requests: mostly one unit each. */
const costs = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 40 }) },
  ),
  { minLength: 1, maxLength: 60 },
);
/** Possible steps, by name, with the arguments of `perform` in order. */
const step = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('ask'), at, costs, fc.boolean()) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('begin a stream'), at, fc.integer({ min: 1, max: 300 })) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('go on'), at, fc.nat(3), fc.nat(60)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('send'), at, fc.nat(30)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('crash'), at) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('lose the disk'), at, fc.boolean()) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('find a disk'), at, fc.integer({ min: 1, max: 30 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('cut off'), at, fc.boolean()) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('weather'),
      fc.constantFrom<Weather>('fair', 'fair', 'fair', 'away', 'answer lost'),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('wait'), fc.integer({ min: 100, max: 40_000 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('wait for days'), fc.integer({ min: 1, max: 40 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('limit'), limit) },
);

async function perform(world: QuotaWorld, [kind, a, b, c]: readonly unknown[]): Promise<void> {
  const number = a as number;
  if (kind === 'ask') await world.ask(number, b as number[], c as boolean);
  else if (kind === 'begin a stream') await world.begin(number, b as number);
  else if (kind === 'go on') world.goOn(number, b as number, c as number);
  else if (kind === 'send') await world.send(number, b as number);
  else if (kind === 'crash') await world.crash(number);
  else if (kind === 'lose the disk') world.loseDisk(number, b as boolean);
  else if (kind === 'find a disk') await world.findDisk(number, b as number);
  else if (kind === 'cut off') world.cutOff(number, b as boolean);
  else if (kind === 'weather') world.weather = a as Weather;
  else if (kind === 'wait') await world.wait(number);
  else if (kind === 'wait for days') await world.wait(number * DAY_MS);
  else world.limit = number;
}

/** Schedules. After a change of the quota: `ROUNDS=5000 npm test -- leased-quota`. */
const CASES = cases(150);

describe('the monthly quota', () => {
  it('is never exceeded, and counts every counted request once, whatever happens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-quota-'));
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const run = async (first: number, cap: number, steps: readonly (readonly unknown[])[]): Promise<void> => {
      const clock = clockAt(START);
      const { usage } = await openUsage({ dataDir: mkdtempSync(join(folder, 'run-')) }, lifecycle);
      const world = new QuotaWorld(usage, clock, 3, first, cap);
      for (const one of steps) {
        await perform(world, one);
        for (const [month, highest] of world.highest) {
          expect((await usage.read(PROJECT, month)).taken).toBeLessThanOrEqual(highest);
          expect((await usage.read(ACCOUNT, month)).taken).toBeLessThanOrEqual(cap);
        }
      }
      await world.end();
      for (const [month, { answered, counted, refused, lost }] of world.tallies()) {
        // Units on a lost disk, or too late, are not counted; all others are, once.
        expect(counted + refused + lost).toBe(answered);
        expect(counted).toBeLessThanOrEqual(world.highest.get(month)!);
        const { requests, taken } = await usage.read(PROJECT, month);
        expect(requests).toBe(counted);
        // Units of lost disks stay taken.
        expect(taken).toBeGreaterThanOrEqual(counted);
        expect(taken).toBeLessThanOrEqual(world.highest.get(month)!);
        if (!world.hasLostDisks) expect(taken).toBe(counted);
        expect((await auditMonth(usage, month)).differences).toEqual([]);
        const ofKey = world.tallies('capped').get(month)!;
        const account = await usage.read(ACCOUNT, month);
        expect(account.requests).toBe(ofKey.counted);
        expect(account.taken).toBeGreaterThanOrEqual(ofKey.counted);
        expect(account.taken).toBeLessThanOrEqual(cap);
        if (!world.hasLostDisks) expect(account.taken).toBe(ofKey.counted);
        await usage.settle('9999-12', 100);
        expect(await usage.read(PROJECT, month)).toMatchObject({ requests: counted, taken: counted });
      }
    };
    try {
      const schedules = fc.array(step, { minLength: 10, maxLength: 40 });
      await fc.assert(fc.asyncProperty(limit, limit, schedules, run), CASES);
    } finally {
      await lifecycle.shutdown('end of test');
      rmSync(folder, { recursive: true, force: true });
    }
  }, 1_800_000);

  it('admits up to the last unit, then refuses, and admits again at once under a higher limit', async () => {
    const usage = await openLedger();
    const quota = openQuota(usage);
    for (let i = 0; i < 7; i++) await quota.admit(PROJECT, 7);
    await expect((async () => quota.admit(PROJECT, 7))()).rejects.toThrow(MonthUsedUp);
    expect(await quota.admit(PROJECT, 8)).toMatchObject({ day: '2026-11-30', left: 0 });
    await expect((async () => quota.admit(PROJECT, 8))()).rejects.toThrow(MonthUsedUp);
    await quota.close();
  });

  it('spends nothing that was leased under a limit which was lowered on the way', async () => {
    const usage = await openLedger();
    let answer: () => void = () => undefined;
    const answers = new Promise<void>((resolve) => (answer = resolve));
    const ledger = {
      ...usage,
      async take(request: LeaseRequest) {
        const lease = await usage.take(request);
        await answers;
        return lease;
      },
    };
    const clock = clockAt(START);
    const open = (by: QuotaLedger): LeasedQuota => openQuota(by, clock);
    const [other, quota] = [open(usage), open(ledger)];
    for (let n = 0; n < 5; n++) other.done(await other.admit(PROJECT, 100), 1);
    const first = (async () => quota.admit(PROJECT, 100))();
    const second = (async () => quota.admit(PROJECT, 5))();
    answer();
    const outcomes = await Promise.allSettled([first, second]);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: expect.any(MonthUsedUp) },
      { status: 'rejected', reason: expect.any(MonthUsedUp) },
    ]);
    await Promise.all([quota.close(), other.close()]);
    expect((await usage.read(PROJECT, '2026-11')).taken).toBe(5);
  });

  it('spends nothing under a lower limit that requests under way give back', async () => {
    const usage = await openLedger();
    const clock = clockAt(START);
    const quota = openQuota(usage, clock);
    const admit = async () => quota.admit(PROJECT, 10);
    const stream = await quota.admit(PROJECT, 100, 30);
    await expect(admit()).rejects.toThrow(MonthUsedUp);
    quota.done(stream, 20);
    await expect(admit()).rejects.toThrow(MonthUsedUp);
    expect((await usage.read(PROJECT, '2026-11')).taken).toBe(20);
    // A higher limit opens the month again.
    expect(await quota.admit(PROJECT, 21)).toMatchObject({ left: 0 });
    await quota.close();
  });

  it.each<[slow: keyof QuotaLedger, most: number]>([
    ['take', 10],
    // It leaves far more than this gateway's share behind.
    ['release', 5_000],
  ])('spends nothing of a former limit while the ledger does not answer a %s', async (slow, most) => {
    const usage = await openLedger();
    let answered = Promise.resolve();
    const ledger: QuotaLedger = {
      take: async (request) => {
        const lease = await usage.take(request);
        if (slow === 'take') await answered;
        return lease;
      },
      release: async (releases) => {
        const released = await usage.release(releases);
        if (slow === 'release') await answered;
        return released;
      },
    };
    const clock = clockAt(START);
    const quota = openQuota(ledger, clock);
    const admit = async (limit: number, units = 1) => quota.admit(PROJECT, limit, units);
    const first = await admit(10_000, most);
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = promise;
    quota.done(first, 5);
    // For more than is at hand.
    const large = admit(10_000, 4_000);
    const late = admit(2);
    resolve();
    expect(await Promise.allSettled([large, late])).toEqual([
      { status: 'rejected', reason: expect.any(MonthUsedUp) },
      { status: 'rejected', reason: expect.any(MonthUsedUp) },
    ]);
    await quota.close();
    expect((await usage.read(PROJECT, '2026-11')).taken).toBe(5);
  });

  it('waits for a lease that is under way before it closes: its units would never be returned', async () => {
    const answer = Promise.withResolvers<void>();
    const steps: string[] = [];
    const ledger: QuotaLedger = {
      async take() {
        await answer.promise;
        steps.push('leased');
        return { units: 5, outstanding: 0, revision: 1, unclaimed: 0 };
      },
      release: async (releases) => releases,
    };
    const quota = openQuota(ledger);
    const asked = (async () => quota.admit(PROJECT, 100))();
    const closing = quota.close().then(() => steps.push('closed'));
    await new Promise((resolve) => setImmediate(resolve));
    answer.resolve();
    await Promise.all([asked, closing]);
    expect(steps).toEqual(['leased', 'closed']);
  });

  it.each([
    ['the month has ended', START, Date.UTC(2026, 11, 1), '2026-11-30'],
    ['the clock was set back before the month', Date.UTC(2026, 11, 1), START, '2026-12-01'],
  ])(
    'counts a request in the month of its units where %s by the time of the lease',
    async (_why, asked, leased, day) => {
      const answer = Promise.withResolvers<void>();
      const ledger: QuotaLedger = {
        take: async () => (await answer.promise, { units: 5, outstanding: 0, revision: 1, unclaimed: 0 }),
        release: async (releases) => releases,
      };
      const clock = clockAt(asked);
      const quota = openQuota(ledger, clock);
      const admitted = (async () => quota.admit(PROJECT, 100))();
      clock.time = leased;
      answer.resolve();
      expect(await admitted).toMatchObject({ day });
      await quota.close();
    },
  );

  it('does not wait long for a ledger that takes nothing back when it closes', async () => {
    const ledger: QuotaLedger = {
      take: async () => ({ units: 5, outstanding: 0, revision: 1, unclaimed: 0 }),
      release: () => new Promise(() => undefined),
    };
    const quota = openQuota(ledger);
    quota.done(await quota.admit(PROJECT, 100), 1);
    await quota.close();
  });

  it('admits with a key up to its cap, says that it is the cap, and takes nothing else of the month', async () => {
    const usage = await openLedger();
    const clock = clockAt(START);
    const quota = openQuota(usage, clock);
    const admit = async (cap: number, limit = 10) =>
      quota.admit(PROJECT, limit, 1, { account: ACCOUNT, cap });
    for (let n = 0; n < 3; n++) quota.done(await admit(3), 1);
    await expect(admit(3)).rejects.toThrow(KeyCapUsedUp);
    expect((await quota.admit(PROJECT, 10)).left).toBe(6);
    // With a higher cap the project's limit ends first, and the key's unit is available again.
    for (let n = 0; n < 6; n++) quota.done(await admit(50), 1);
    const refused = await admit(50).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MonthUsedUp);
    expect(refused).not.toBeInstanceOf(KeyCapUsedUp);
    expect(quota.leftOf(ACCOUNT)).toBe(41);
    // The month ends while the next request is on its way: it takes units of one month.
    clock.time += 120_000;
    const next = await admit(50);
    expect([next.quota.month, next.ofKey?.quota.month]).toEqual(['2026-12', '2026-12']);
    quota.done(next, 0);
    await quota.close();
    expect((await usage.read(ACCOUNT, '2026-11')).taken).toBe(9);
    expect((await usage.read(ACCOUNT, '2026-12')).taken).toBe(0);
  });

  it('says why it does not ask the ledger: it failed a moment ago', async () => {
    const ledger: QuotaLedger = {
      take: async () => Promise.reject(new Error('cut off')),
      release: async (releases) => releases,
    };
    const clock = clockAt(START);
    const quota = openQuota(ledger, clock);
    const ask = async () => quota.admit(PROJECT, 100);
    await expect(ask()).rejects.toThrow('the ledger failed');
    await expect(ask()).rejects.toThrow('the ledger failed less than 500 ms ago');
  });

  it('asks the ledger again, and releases idle units, where the clock is set back', async () => {
    const usage = await openLedger();
    const clock = clockAt(Date.UTC(2026, 10, 21));
    let isAway = true;
    const take = async (request: LeaseRequest) =>
      isAway ? Promise.reject(new Error('cut off')) : usage.take(request);
    const [quota, other] = [openQuota({ ...usage, take }, clock), openQuota(usage, clock)];
    const ask = async (by = quota) => by.admit(PROJECT, 3, 2);
    const setBack = (): void => void (clock.time -= 3_600_000);
    await expect(ask()).rejects.toThrow('the ledger failed');
    isAway = false;
    const others = await ask(other);
    setBack();
    await expect(ask()).rejects.toThrow(MonthUsedUp);
    other.done(others, 0);
    await other.close();
    setBack();
    quota.done(await ask(), 1);
    setBack();
    const taken = async (): Promise<number> => (await usage.read(PROJECT, '2026-11')).taken;
    await until('the idle unit is released', async () => (await taken()) === 1);
    await quota.close();
  });

  it('holds what requests need in a minute, and nothing for a project that is seldom asked for', async () => {
    const usage = await openLedger();
    const clock = clockAt(Date.UTC(2026, 10, 21));
    let leases = 0;
    const ledger = { ...usage, take: (request: LeaseRequest) => (leases++, usage.take(request)) };
    const quota = openQuota(ledger, clock);
    const ask = async (project: string, times: number, everyMs: number): Promise<void> => {
      for (let n = 0; n < times; n++, clock.time += everyMs)
        quota.done(await quota.admit(project, 1_000_000), 1);
    };
    const held = async (project: string, spent: number): Promise<number> =>
      (await usage.read(project, '2026-11')).taken - spent;
    await ask('seldom', 3, 3_600_000);
    expect([leases, await held('seldom', 3)]).toEqual([3, 0]);
    leases = 0;
    await ask('often', 3_000, 100);
    // 300 s at 10 requests a second.
    expect(await held('often', 3_000)).toBeLessThanOrEqual(600);
    expect(leases).toBeLessThan(20);
    await quota.close();
  });

  it('refuses a request that may cost more than is left, names the rest, and gives that to smaller ones', async () => {
    const usage = await openLedger();
    const clock = clockAt(START);
    const open = (): LeasedQuota => openQuota(usage, clock);
    const [quota, other] = [open(), open()];
    const admit = async (units: number, by = quota) => by.admit(PROJECT, 50, units);
    const large = await admit(40);
    expect(large).toMatchObject({ units: 40, left: 10 });
    await expect(admit(11)).rejects.toMatchObject({ left: 10 });
    // A request refused here takes nothing from the other gateway.
    expect(await admit(4, other)).toMatchObject({ left: 5 });
    const together = await Promise.allSettled([admit(9), admit(5), admit(1)]);
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await expect(admit(1)).rejects.toThrow(MonthUsedUp);
    // It cost less.
    quota.done(large, 15);
    expect(await admit(25)).toMatchObject({ left: 0 });
    await expect(admit(1)).rejects.toThrow(MonthUsedUp);
    await Promise.all([quota.close(), other.close()]);
    expect((await usage.read(PROJECT, '2026-11')).taken).toBe(50);
  });

  it('releases what a request did not cost once that is more than its share', async () => {
    const usage = await openLedger();
    const quota = openQuota(usage);
    const admission = await quota.admit(PROJECT, 10_000, 9_000);
    quota.done(admission, 3);
    const taken = async (): Promise<number> => (await usage.read(PROJECT, '2026-11')).taken;
    await until('the surplus is released', async () => (await taken()) < 300);
    expect(quota.leftOf(PROJECT)).toBe(9_997);
    await quota.close();
    expect(await taken()).toBe(3);
  });
});
