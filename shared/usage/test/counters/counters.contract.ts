/** The month's counters, wherever they are read. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { openCopy, openCounters, openPublisher } from '../../src/open-counters.ts';
import type { CounterPublisher, MonthCounters } from '../../src/counters/ports.ts';
import type { CountingProgress } from '../../src/counting/ports.ts';
import { byRecord, type CountedEvent } from '../../src/fold.ts';
import { openUsage } from '../../src/open.ts';
import type { UsageStore } from '../../src/ports.ts';

export const MONTH = '2026-11';
const DAY = '2026-11-21';

/** Place of counters; each call of `fresh` gives another, empty one. */
export interface CounterPlaces {
  fresh(): Promise<{
    readonly dataDir: string;
    readonly mongodbUrl?: string;
    readonly redisUrl?: string;
  }>;
}

/** One process that counts, publishes, and reads. */
export interface CountingProcess {
  readonly usage: UsageStore;
  readonly progress: CountingProgress;
  readonly counters: MonthCounters;
  readonly publisher: CounterPublisher | undefined;
  /** Counts a batch and publishes it, as the metering service does. */
  count(...events: CountedEvent[]): Promise<void>;
}

/** Opens one; it ends with the lifecycle. */
async function openProcess(
  { redisUrl, ...place }: Awaited<ReturnType<CounterPlaces['fresh']>>,
  lifecycle: Lifecycle,
): Promise<CountingProcess> {
  const logger = lifecycle.logger;
  const deps = { clock: systemClock, logger, lifecycle };
  const opened = await openUsage(place, lifecycle);
  const copied = await openCopy(opened, redisUrl, deps);
  const publisher = openPublisher(copied, deps);
  publisher?.start();
  return {
    usage: opened.usage,
    progress: opened.progress,
    counters: openCounters(opened, copied, deps),
    publisher,
    async count(...events) {
      const records = byRecord(events);
      await opened.usage.apply(records);
      await publisher?.publish(records);
    },
  };
}

/** An event of one project. */
export function counted(producer: string, sequence: number, requests: number, project = 'p'): CountedEvent {
  return { producer, sequence, entries: [{ project, day: DAY, endpoint: 'token', requests, orders: 1 }] };
}

export function describeCounters(name: string, places: CounterPlaces): void {
  describe(`the month's counters in ${name}`, () => {
    let lifecycle: Lifecycle;
    let one: CountingProcess;
    let other: CountingProcess;

    beforeEach(async () => {
      const place = await places.fresh();
      lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
      one = await openProcess(place, lifecycle);
      other = await openProcess(place, lifecycle);
    });
    afterEach(() => lifecycle.shutdown('end of test'));

    const requests = async (reader: CountingProcess, project = 'p') =>
      (await reader.counters.read(project, MONTH)).requests;

    it('are zeros where nothing was counted, as of now', async () => {
      const before = Date.now();
      const found = await one.counters.read('p', MONTH);
      expect(found).toMatchObject({ requests: 0, orders: 0, taken: 0, days: {} });
      expect(found.asOf).toBeGreaterThanOrEqual(before);
    });

    it('are as of the moment up to which all is counted, however often they are read, and go on with it', async () => {
      const asOf = async (reader: CountingProcess) => (await reader.counters.read('p', MONTH)).asOf;
      for (const moment of [1_000, 2_000]) {
        await one.progress.note(moment);
        await one.count(counted('a', moment, 1));
        for (const reader of [one, other])
          await until('it is seen', async () => (await asOf(reader)) === moment);
        // From the ledger, and from a copy that was read often.
        for (let i = 0; i < 5; i++) expect(await asOf(other)).toBe(moment);
      }
    });

    it('are those of the ledger, with days and endpoints, for each process', async () => {
      await one.usage.take({
        project: 'p',
        month: MONTH,
        producer: 'a',
        limit: 1_000,
        waiting: [1],
        atHand: 0,
      });
      await one.count(counted('a', 1, 2), {
        producer: 'a',
        sequence: 2,
        entries: [{ project: 'p', day: '2026-11-30', endpoint: 'token-list', requests: 3, orders: 0 }],
      });
      const expected = {
        requests: 5,
        orders: 1,
        taken: 10,
        days: { [DAY]: { token: 2 }, '2026-11-30': { 'token-list': 3 } },
      };
      for (const reader of [one, other]) {
        await until('it is seen', async () => (await requests(reader)) === 5);
        expect(await reader.counters.read('p', MONTH)).toMatchObject(expected);
      }
    });

    it('follow each batch, although they were looked at before', async () => {
      for (let sequence = 1; sequence <= 5; sequence++) {
        await one.count(counted('a', sequence, 1));
        await until('it is seen', async () => (await requests(other)) === sequence);
      }
    });

    it('keep projects and months apart', async () => {
      const next = { project: 'p', day: '2026-12-01', endpoint: 'token', requests: 4, orders: 0 };
      await one.count(counted('a', 1, 1), counted('a', 2, 8, 'q'), {
        producer: 'a',
        sequence: 3,
        entries: [next],
      });
      await until('it is seen', async () => (await requests(one)) === 1);
      await until('it is seen', async () => (await requests(one, 'q')) === 8);
      expect(await one.counters.read('p', '2026-12')).toMatchObject({ requests: 4, orders: 0 });
    });

    it('never go back while two processes count, and end as the ledger has them', async () => {
      const seen: number[] = [];
      let counting = true;
      const looking = (async () => {
        while (counting) seen.push(await requests(other));
      })();
      const work = async (process: CountingProcess, producer: string): Promise<void> => {
        for (let sequence = 1; sequence <= 30; sequence++) {
          await process.count(counted(producer, sequence, 1));
          // Late, a repetition.
          if (sequence % 7 === 0) await process.count(counted(producer, sequence - 3, 1));
        }
      };
      await Promise.all([work(one, 'a'), work(other, 'b')]);
      counting = false;
      await looking;
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      await until('all is seen', async () => (await requests(one)) === 60);
      expect(await one.counters.read('p', MONTH)).toMatchObject(await one.usage.read('p', MONTH));
    });
  });
}
