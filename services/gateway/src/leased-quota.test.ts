import { describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@hindsight/shared/lifecycle.ts';
import { createLogger } from '@hindsight/shared/logger.ts';
import { StoreUnavailable } from '@hindsight/shared/stores/unavailable.ts';
import { byRecord } from '@hindsight/shared/usage/fold.ts';
import { openUsage } from '@hindsight/shared/usage/open.ts';
import type { QuotaLedger, UsageStore } from '@hindsight/shared/usage/ports.ts';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LeasedQuota, MonthUsedUp, type Admission } from './leased-quota.ts';

const PROJECT = 'p';
const START = Date.UTC(2026, 10, 30, 23, 59);

/** How the ledger behaves: it may fail, or do what was asked and lose the answer. */
type Weather = 'fair' | 'away' | 'answer lost';

/** Several gateways on one ledger, with crashes, lost answers, months that end and plans that change. */
class World {
  readonly clock = { time: START, now: () => this.clock.time };
  weather: Weather = 'fair';
  limit: number;
  /** Admissions that count, by month; those of dead gateways too. */
  readonly admitted = new Map<string, number>();
  /** The highest limit that a month has had. */
  readonly highest = new Map<string, number>();
  readonly #usage: UsageStore;
  #gateways: Gateway[];

  constructor(usage: UsageStore, gateways: number, limit: number) {
    this.#usage = usage;
    this.limit = limit;
    this.#gateways = Array.from({ length: gateways }, () => new Gateway(this.#ledger(), this.clock));
  }

  #ledger(): QuotaLedger {
    const through = async <T>(work: () => Promise<T>): Promise<T> => {
      const { weather } = this;
      if (weather === 'away') throw new StoreUnavailable('test', 'away');
      const result = await work();
      if (weather === 'answer lost') throw new StoreUnavailable('test', 'the answer is lost');
      return result;
    };
    return {
      take: (request) => through(() => this.#usage.take(request)),
      giveBack: (returns) => through(() => this.#usage.giveBack(returns)),
    };
  }

  month(): string {
    return new Date(this.clock.time).toISOString().slice(0, 7);
  }

  async ask(which: number, requests: number, counted: boolean): Promise<void> {
    const gateway = this.#gateways[which % this.#gateways.length]!;
    const month = this.month();
    this.highest.set(month, Math.max(this.highest.get(month) ?? 0, this.limit));
    await Promise.all(
      Array.from({ length: requests }, async () => {
        const day = await gateway.ask(this.limit, counted);
        if (day !== undefined)
          this.admitted.set(day.slice(0, 7), (this.admitted.get(day.slice(0, 7)) ?? 0) + 1);
      }),
    );
  }

  /** Its memory is gone; its spool is read and its lane closed by its next life. */
  async crash(which: number): Promise<void> {
    const at = which % this.#gateways.length;
    const dead = this.#gateways[at]!;
    this.#gateways[at] = new Gateway(this.#ledger(), this.clock);
    await this.#settle(dead);
  }

  async #settle({ lane, days }: Gateway): Promise<void> {
    const events = [...days].map(([day, requests], sequence) => ({
      lane,
      sequence,
      entries: [{ project: PROJECT, day, endpoint: 'x', requests, orders: 0 }],
    }));
    // Whatever is sent twice is counted once.
    for (let i = 0; i < 2; i++) {
      await this.#usage.apply(byRecord(events));
      await this.#usage.closeLane(lane);
    }
  }

  async end(): Promise<void> {
    this.weather = 'fair';
    for (const gateway of this.#gateways) {
      await gateway.quota.close();
      await this.#settle(gateway);
    }
  }
}

class Gateway {
  readonly lane = randomUUID();
  readonly quota: LeasedQuota;
  /** What it has counted, by day. */
  readonly days = new Map<string, number>();

  constructor(ledger: QuotaLedger, clock: { now(): number }) {
    this.quota = new LeasedQuota({ ledger, lane: this.lane, clock, onFailure: () => undefined });
  }

  /** The day of an admitted request that counts. */
  async ask(limit: number, counted: boolean): Promise<string | undefined> {
    let admission: Admission;
    try {
      admission = await this.quota.admit(PROJECT, limit);
    } catch {
      return undefined;
    }
    this.quota.done(admission, counted);
    if (!counted) return undefined;
    this.days.set(admission.day, (this.days.get(admission.day) ?? 0) + 1);
    return admission.day;
  }
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constant('ask'), fc.nat(2), fc.integer({ min: 1, max: 40 }), fc.boolean()),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('crash'), fc.nat(2)) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('weather'),
      fc.constantFrom<Weather>('fair', 'fair', 'away', 'answer lost'),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('wait'), fc.integer({ min: 100, max: 40_000 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('limit'), fc.integer({ min: 1, max: 400 })) },
);

const RUNS = Number(process.env.QUOTA_MODEL_RUNS ?? 300);

describe('the monthly quota', () => {
  it('is never exceeded, and every counted request is counted once, whatever happens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-quota-'));
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const run = async (first: number, steps: readonly (readonly unknown[])[]): Promise<void> => {
      // Another database for each run would cost more than the run: another project's record does as well.
      const { usage } = await openUsage({ dataDir: mkdtempSync(join(folder, 'run-')) }, lifecycle);
      const world = new World(usage, 3, first);
      for (const [kind, a, b, c] of steps) {
        if (kind === 'ask') await world.ask(a as number, b as number, c as boolean);
        else if (kind === 'crash') await world.crash(a as number);
        else if (kind === 'weather') world.weather = a as Weather;
        else if (kind === 'wait') world.clock.time += a as number;
        else world.limit = a as number;
      }
      await world.end();
      for (const [month, admitted] of world.admitted) {
        expect(admitted).toBeLessThanOrEqual(world.highest.get(month)!);
        expect(await usage.read(PROJECT, month)).toMatchObject({ requests: admitted, taken: admitted });
      }
    };
    try {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 400 }), fc.array(step, { maxLength: 25 }), run),
        { numRuns: RUNS },
      );
    } finally {
      await lifecycle.shutdown('end of test');
      rmSync(folder, { recursive: true, force: true });
    }
  }, 240_000);

  it('admits to the last unit, refuses after it, and admits again under a higher limit at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-quota-'));
    const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    const { usage } = await openUsage({ dataDir: folder }, lifecycle);
    const clock = { now: () => START };
    const quota = new LeasedQuota({ ledger: usage, lane: randomUUID(), clock, onFailure: () => undefined });
    for (let i = 0; i < 7; i++) await quota.admit(PROJECT, 7);
    await expect((async () => quota.admit(PROJECT, 7))()).rejects.toThrow(MonthUsedUp);
    expect(await quota.admit(PROJECT, 8)).toMatchObject({ day: '2026-11-30', left: 0 });
    await expect((async () => quota.admit(PROJECT, 8))()).rejects.toThrow(MonthUsedUp);
    await quota.close();
    await lifecycle.shutdown('end of test');
    rmSync(folder, { recursive: true, force: true });
  });
});
