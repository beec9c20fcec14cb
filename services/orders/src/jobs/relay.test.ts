import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores, type OpenOrderStores } from '../adapters/open-stores.ts';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import type { Batch, OrderPublisher } from '../ports.ts';
import { OrderRelay } from './relay.ts';

const logger = createLogger({ name: 'test', level: 'silent' });

let folder: string;
let lifecycle: Lifecycle;
let stores: OpenOrderStores;
let relays: OrderRelay[];
/** Events in the log, in the order of arrival. */
let log: { readonly sequence: number; readonly id: string }[];
/** Called before a batch reaches the log; a rejection stands for an unavailable log. */
let beforeWrite: (relay: string, batch: Batch) => Promise<void>;
let now: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orders-relay-'));
  lifecycle = createLifecycle(logger);
  stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
  relays = [];
  log = [];
  beforeWrite = async () => undefined;
  now = 1_000_000;
});

afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

/** A relay that writes to the list above. */
function start(relayId: string): OrderRelay {
  const publisher: OrderPublisher = {
    async publish(batch) {
      await beforeWrite(relayId, batch);
      log.push(...batch.entries.map(({ sequence, record }) => ({ sequence, id: record.id })));
    },
    publishDeadLetter: () => Promise.reject(new Error('a relay writes no dead letters')),
  };
  const clock = { now: () => now };
  const relay = new OrderRelay({
    lookEveryMs: 250,
    outbox: stores.outbox,
    publisher,
    clock,
    logger,
    relayId,
    onPublished: () => undefined,
  });
  relays.push(relay);
  relay.job.start();
  return relay;
}

/** Orders as a consumer counts them: each sequence above the last one. */
function counted(): number {
  let last = 0;
  return log.filter(({ sequence }) => sequence > last && (last = sequence) > 0).length;
}

const insert = (from: number, to: number): Promise<unknown> =>
  Promise.all(Array.from({ length: to - from }, (_, at) => stores.orders.insert(recordOf(from + at))));

describe('relays over one outbox', () => {
  it('publish in order, once, however many there are', async () => {
    for (const name of ['a', 'b', 'c']) start(name);
    for (let n = 0; n < 10; n++) {
      await insert(n * 30, n * 30 + 30);
      for (const relay of relays) relay.job.nudge();
    }
    await until('300 orders are in the log', () => log.length >= 300);
    expect(log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
    expect(new Set(log.map(({ id }) => id)).size).toBe(300);
  });

  it('continue where they stopped when the log was unavailable', async () => {
    let away = true;
    beforeWrite = async () => {
      if (away) throw new Error('away');
    };
    await insert(0, 50);
    const relay = start('a');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(log).toEqual([]);
    await insert(50, 80);
    away = false;
    relay.job.nudge();
    await until('80 orders are in the log', () => log.length >= 80);
    expect(log.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 80 }, (_, at) => at + 1));
  });

  it('take over from a silent leader; when it wakes, it repeats its batch under the same numbers', async () => {
    const asleep = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    beforeWrite = async (relay) => {
      if (relay !== 'a') return;
      begun.resolve(undefined);
      await asleep.promise;
    };
    await insert(0, 20);
    start('a');
    await begun.promise;
    await insert(20, 40);
    now += 10_000;
    start('b');
    await until('40 orders are in the log', () => log.length >= 40);
    asleep.resolve(undefined);
    await until('60 orders are in the log', () => log.length >= 60);
    await insert(40, 50);
    for (const relay of relays) relay.job.nudge();
    await until('all orders are in the log', () => new Set(log.map(({ id }) => id)).size === 50);
    const numbers = new Map(log.map(({ id, sequence }) => [id, sequence]));
    for (const { id, sequence } of log) expect(sequence).toBe(numbers.get(id));
    expect(counted()).toBe(50);
  });

  it.each([
    ['half a second after it was refused', 500],
    ['where the clock is set back', -3_600_000],
  ])('ask for the lead again, %s', async (_when, passed) => {
    const asked = jest.spyOn(stores.outbox, 'lead');
    const first = start('a');
    await until('one leads', () => asked.mock.results.length === 1);
    const second = start('b');
    await until('the other was refused', () => asked.mock.results.length === 2);
    await first.stop();
    await insert(0, 5);
    now += passed;
    second.job.nudge();
    await until('5 orders are in the log', () => log.length === 5);
  });

  it('take over from a leader whose clock was set back, and which is silent since', async () => {
    const asked = jest.spyOn(stores.outbox, 'lead');
    const first = start('a');
    await until('one leads', () => asked.mock.results.length === 1);
    now -= 600_000;
    first.job.nudge();
    await until('it has renewed its lead', () => asked.mock.results.length > 1);
    jest.spyOn(stores.outbox, 'resign').mockResolvedValue(undefined);
    await first.stop();
    await insert(0, 5);
    now += 10_000;
    start('b');
    await until('5 orders are in the log', () => log.length === 5);
  });

  it('let another relay lead at once after an orderly stop', async () => {
    await start('a').stop();
    await insert(0, 5);
    start('b');
    await until('5 orders are in the log', () => log.length === 5);
  });
});

describe('one relay', () => {
  afterEach(() => void jest.useRealTimers());

  it('leads for a while, publishes all that waits, and asks no more than twice a second once it is refused', async () => {
    jest.useFakeTimers();
    const calls: string[] = [];
    let leads = true;
    const waiting = [200, 3];
    const outbox = {
      async lead(_id: string, from: number, until: number) {
        calls.push(`lead for ${until - from}`);
        return leads;
      },
      async nextBatch() {
        const entries = Array(waiting.shift() ?? 0).fill({ record: {} }) as Batch['entries'];
        calls.push(`next: ${entries.length}`);
        return entries.length === 0 ? null : ({ entries } as Batch);
      },
      finish: async () => void calls.push('finish'),
      resign: async () => undefined,
    };
    const publish = async () => void calls.push('publish');
    const relay = new OrderRelay({
      ...{ lookEveryMs: 250, clock: { now: () => now }, logger, relayId: 'a', onPublished: () => undefined },
      outbox: outbox as unknown as OpenOrderStores['outbox'],
      publisher: { publish, publishDeadLetter: publish },
    });
    const pass = async (afterMs = 250): Promise<string[]> => {
      await jest.advanceTimersByTimeAsync(afterMs);
      return calls.splice(0);
    };
    relay.job.start();
    expect(await pass(0)).toEqual([
      ...['lead for 5000', 'next: 200', 'publish', 'finish'],
      ...['next: 3', 'publish', 'finish'],
    ]);
    now += 1_999;
    expect(await pass()).toEqual(['next: 0']);
    now += 1;
    expect(await pass()).toEqual(['lead for 5000', 'next: 0']);
    leads = false;
    now += 2_000;
    expect(await pass()).toEqual(['lead for 5000']);
    now += 499;
    expect(await pass()).toEqual([]);
    now += 1;
    expect(await pass()).toEqual(['lead for 5000']);
    await relay.stop();
  });
});
