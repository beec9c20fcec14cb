/** Shared by the contracts of usage: a store, empty before each test, and functions to fill it. */
import { afterEach, beforeEach } from '@jest/globals';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import type { AlertStore } from '../../src/alerts/ports.ts';
import { byRecord, type CountedEvent } from '../../src/fold.ts';
import { openUsage, type OpenUsage } from '../../src/open.ts';
import type { Lease, Refusal, UsageStore } from '../../src/ports.ts';

/** A place for usage; each call of `fresh` gives another, empty one. */
export interface UsagePlaces {
  fresh(): Promise<{ readonly dataDir: string; readonly mongodbUrl?: string }>;
}

export const MONTH = '2026-11';
export const DAY = '2026-11-21';

/** The store of the test that runs. */
export interface UsageHarness {
  readonly usage: UsageStore;
  /** Another process on the same data. */
  readonly open: () => Promise<UsageStore>;
  readonly openAlerts: () => Promise<AlertStore>;
  readonly openAll: () => Promise<OpenUsage>;
  readonly restart: () => Promise<void>;
  readonly take: (producer: string, limit: number, atLeast?: number, store?: UsageStore) => Promise<Lease>;
  readonly apply: (...events: CountedEvent[]) => Promise<readonly Refusal[]>;
  readonly requests: () => Promise<number>;
}

/** An event of one project and endpoint. */
export function counted(producer: string, sequence: number, requests: number, day = DAY): CountedEvent {
  return {
    producer,
    sequence,
    entries: [{ project: 'p', day, endpoint: 'balance-single', requests, orders: 0 }],
  };
}

/** To be called in a `describe`. */
export function usageHarness(places: UsagePlaces): UsageHarness {
  let lifecycle: Lifecycle;
  let settings: Awaited<ReturnType<UsagePlaces['fresh']>>;
  let usage: UsageStore;
  const open = async (): Promise<UsageStore> => (await openUsage(settings, lifecycle)).usage;
  const start = async (): Promise<void> => {
    lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
    usage = await open();
  };
  beforeEach(async () => {
    settings = await places.fresh();
    await start();
  });
  afterEach(() => lifecycle.shutdown('end of test'));
  return {
    get usage() {
      return usage;
    },
    open,
    openAlerts: async () => (await openUsage(settings, lifecycle)).alerts,
    openAll: () => openUsage(settings, lifecycle),
    async restart() {
      await lifecycle.shutdown('restart');
      await start();
    },
    take: (producer, limit, atLeast = 1, store = usage) =>
      store.take({ project: 'p', month: MONTH, producer, limit, waiting: Array(atLeast).fill(1), atHand: 0 }),
    apply: (...events) => usage.apply(byRecord(events)),
    requests: async () => (await usage.read('p', MONTH)).requests,
  };
}
