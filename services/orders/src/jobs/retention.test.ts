/** Retention removes old orders, and loses or repeats none that is unpublished. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS } from '@hindsight/kernel/durations.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import type { Job } from '@hindsight/kernel/job.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores, type OpenOrderStores } from '../adapters/open-stores.ts';
import { recordOf } from '../../test/adapters/order-stores.contract.ts';
import { recoverSigner } from '../adapters/recover-signer.ts';
import type { OrderRecord } from '../domain/order-event.ts';
import { validateOrder } from '../domain/validate.ts';
import { Intake } from '../intake.ts';
import { signedOrders, type SignedOrder } from '../../test/support/fixtures.ts';
import { createRetentionJob } from './retention.ts';

const NOW = Date.UTC(2026, 5, 1);
/** More than one pass removes at once. */
const MANY = 1_100;
const logger = createLogger({ name: 'test', level: 'silent' });

let folder: string;
let lifecycle: Lifecycle;
let stores: OpenOrderStores;
let jobs: Job[];
let now: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orders-retention-'));
  lifecycle = createLifecycle(logger);
  stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
  jobs = [];
  now = NOW;
});

afterEach(async () => {
  await Promise.all(jobs.map((job) => job.stop()));
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

const clock = { now: () => now };

/** Runs the job until it has nothing more to do. */
async function forget(keepMs = 30 * DAY_MS, undecidedSeconds = 0): Promise<void> {
  const done = Promise.withResolvers<undefined>();
  const orders: OpenOrderStores['orders'] = {
    ...stores.orders,
    async removeOld(before, limit) {
      const removed = await stores.orders.removeOld(before, limit);
      if (removed < limit) done.resolve(undefined);
      return removed;
    },
  };
  const job = createRetentionJob({ orders, clock, logger, keepMs, undecidedSeconds });
  jobs.push(job);
  job.start();
  await done.promise;
  await job.stop();
}

function received(n: number, receivedAt: number, deadlineAt: number): OrderRecord {
  const { order } = recordOf(n);
  return recordOf(n, { receivedAt, order: { ...order, deadline: Math.floor(deadlineAt / 1000) } });
}

async function publishAll(): Promise<string[]> {
  const ids: string[] = [];
  await stores.outbox.lead('a', now, now + 1_000);
  for (
    let batch = await stores.outbox.nextBatch('a', 200);
    batch;
    batch = await stores.outbox.nextBatch('a', 200)
  ) {
    ids.push(...batch.entries.map(({ record }) => record.id));
    await stores.outbox.finish('a', batch);
  }
  return ids;
}

function deadlineOf({ body, validAt }: SignedOrder): number {
  const payload = { ...body, createdAt: '' };
  const chain = { name: 'eth-mainnet', chainId: 1 };
  return validateOrder(payload, { chain, now: validAt * 1000, recover: recoverSigner }).order.deadline;
}

/** Not remembered beyond its deadline. */
function isShort(order: SignedOrder): boolean {
  return (deadlineOf(order) - order.validAt) * 1000 < 364 * DAY_MS;
}

describe('retention', () => {
  const old = NOW - 31 * DAY_MS;

  it('removes orders that were published, are old enough, and an hour past their deadline', async () => {
    const kept = {
      young: received(1, NOW - 29 * DAY_MS, old),
      open: received(2, old, NOW + DAY_MS),
      justOver: received(3, old, NOW - HOUR_MS / 2),
    };
    const gone = received(4, old, NOW - 2 * HOUR_MS);
    for (const record of [...Object.values(kept), gone]) await stores.orders.insert(record);
    await publishAll();
    await forget();
    expect(await stores.orders.has(gone.id)).toBe(false);
    for (const { id } of Object.values(kept)) expect(await stores.orders.has(id)).toBe(true);
  });

  it('waits a week for the end of an order, and until that is published', async () => {
    const week = 7 * DAY_MS;
    const [waits, ends, gone] = [1, 2, 3].map((n) =>
      received(n, old - week, NOW - 2 * HOUR_MS - (n === 3 ? week : 0)),
    ) as [OrderRecord, OrderRecord, OrderRecord];
    for (const record of [waits, ends, gone]) await stores.orders.insert(record);
    await publishAll();
    const end = { status: 'expired', finalized: true, knownAt: 9, block: 9 } as const;
    await stores.orders.settle(ends.id, end, old);
    await forget(30 * DAY_MS, week / 1_000);
    expect(await stores.orders.has(gone.id)).toBe(false);
    for (const { id } of [waits, ends]) expect(await stores.orders.has(id)).toBe(true);
    await publishAll();
    await forget(30 * DAY_MS, week / 1_000);
    expect(await stores.orders.has(ends.id)).toBe(false);
    expect(await stores.orders.has(waits.id)).toBe(true);
  });

  it('keeps no order for longer than a year, even if its deadline lies decades ahead', async () => {
    const far = Date.UTC(2100, 0, 1);
    const [young, gone] = [received(1, NOW - 364 * DAY_MS, far), received(2, NOW - 366 * DAY_MS, far)];
    for (const record of [young, gone]) await stores.orders.insert(record);
    await publishAll();
    await forget();
    expect(await stores.orders.has(gone.id)).toBe(false);
    expect(await stores.orders.has(young.id)).toBe(true);
  });

  it('keeps unpublished orders, however old, until they are published', async () => {
    const records = Array.from({ length: 50 }, (_, n) => received(n, old, old + HOUR_MS));
    for (const record of records) await stores.orders.insert(record);
    await forget();
    expect(await publishAll()).toEqual(records.map(({ id }) => id));
    await forget();
    for (const { id } of records) expect(await stores.orders.has(id)).toBe(false);
  });

  it('leaves an unfinished batch alone', async () => {
    await stores.orders.insert(received(1, old, old + HOUR_MS));
    await stores.outbox.lead('a', now, now + 1_000);
    const begun = await stores.outbox.nextBatch('a', 10);
    await forget();
    expect(await stores.outbox.nextBatch('a', 10)).toEqual(begun);
  });

  it('continues until everything due is removed', async () => {
    await Promise.all(
      Array.from({ length: MANY }, (_, n) => stores.orders.insert(received(n, old, old + HOUR_MS))),
    );
    await publishAll();
    await forget();
    for (const n of [0, 500, MANY - 1]) expect(await stores.orders.has(recordOf(n).id)).toBe(false);
  });

  it('causes no second publication: a removed order is refused for its deadline', async () => {
    const order = signedOrders().find(
      (one) => one.network === 'eth-mainnet' && one.erc1271 === undefined && isShort(one),
    );
    const { createdAt: _, ...body } = order!.body;
    const payload = { ...body, createdAt: new Date(order!.validAt * 1000).toISOString() };
    const intake = new Intake({
      stores,
      clock,
      logger,
      recovery: async () => recoverSigner,
      onStored: () => undefined,
      contracts: { check: async () => 'no-contract', hasCode: async () => false },
    });
    const send = () => intake.take(payload, { name: 'eth-mainnet', chainId: 1 }, 'p');
    now = order!.validAt * 1000;
    expect(await send()).toEqual({ duplicate: false, pending: false });
    const [id] = await publishAll();
    const deadlineAt = deadlineOf(order!) * 1000;
    now = deadlineAt + HOUR_MS;
    await forget(1);
    expect(await stores.orders.has(id!)).toBe(true);
    now += 1_000;
    await forget(1);
    expect(await stores.orders.has(id!)).toBe(false);
    await expect(send()).rejects.toMatchObject({ statusCode: 422, reason: 'deadline' });
    expect(await publishAll()).toEqual([]);
  });
});
