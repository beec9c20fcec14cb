/** More orders than can be answered in time: some are accepted as usual, the others are refused at once. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createHttpServer } from '@hindsight/http/server.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { createLifecycle, type Lifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import type { Telemetry } from '@hindsight/kernel/telemetry/port.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStores, type OpenOrderStores } from './adapters/open-stores.ts';
import { recordOf } from '../test/adapters/order-stores.contract.ts';
import { recoverSigner } from './adapters/recover-signer.ts';
import { OrderAdmission, TooManyOrders } from './admission.ts';
import { Intake } from './intake.ts';
import { measureOrders } from './metrics.ts';
import { addDexWebhook } from './routes/dex-webhook.ts';
import { signedOrders } from '../test/support/fixtures.ts';

const MAX_IN_FLIGHT = 3;
const SENT = 30;
/** No order is late here, however slow the machine. */
const IN_TIME_MS = Infinity;
const [order] = signedOrders().filter(({ title }) => title.startsWith('Dutch_V2 exclusive'));

let folder: string;
let lifecycle: Lifecycle;
let stores: OpenOrderStores;
let telemetry: Telemetry;
let app: HttpServer;
/** The store does not write before this resolves. */
let opened: PromiseWithResolvers<undefined>;
let [inserting, mostInserting] = [0, 0];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orders-admission-'));
  const logger = createLogger({ name: 'test', level: 'silent' });
  lifecycle = createLifecycle(logger);
  stores = await openOrderStores({ dataDir: folder }, { ids: randomIds, lifecycle });
  telemetry = createTelemetry('orders');
  app = createHttpServer({ logger, lifecycle });
  measureOrders(app, { outbox: stores.outbox, clock: systemClock, telemetry });
  opened = Promise.withResolvers();
  [inserting, mostInserting] = [0, 0];
  const intake = new Intake({
    stores: { ...stores, orders: { ...stores.orders, insert: slowly } },
    contracts: { check: async () => 'no-contract', hasCode: async () => false },
    recovery: async () => recoverSigner,
    clock: { now: () => order!.validAt * 1000 },
    logger,
    onStored: () => undefined,
  });
  addDexWebhook(app, {
    chains: new Map([[ETH_MAINNET.name, ETH_MAINNET]]),
    intake,
    admission: new OrderAdmission(MAX_IN_FLIGHT, IN_TIME_MS),
  });
});

afterEach(async () => {
  await app.close();
  await lifecycle.shutdown('test');
  rmSync(folder, { recursive: true });
});

const slowly: OpenOrderStores['orders']['insert'] = async (record) => {
  mostInserting = Math.max(mostInserting, ++inserting);
  await opened.promise;
  inserting--;
  return stores.orders.insert(record);
};

async function post(body: object): Promise<{ status: number; retryAfter: unknown; body: unknown }> {
  const headers = { 'x-hindsight-project': 'p' };
  const url = '/v1/eth-mainnet/orders/dex-webhook';
  const {
    statusCode,
    headers: answered,
    ...answer
  } = await app.inject({ method: 'POST', url, payload: body, headers });
  return { status: statusCode, retryAfter: answered['retry-after'], body: answer.json() };
}

describe('more orders than the limit', () => {
  it('are refused at once, while the store is still writing the others', async () => {
    const answers = Array.from({ length: SENT }, () => post(order!.body));
    const refused: unknown[] = [];
    for (const answer of answers) void answer.then((one) => one.status === 503 && refused.push(one));
    // The store is blocked: any answer now was given without it.
    while (refused.length < SENT - MAX_IN_FLIGHT) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refused[0]).toEqual({
      status: 503,
      retryAfter: '1',
      body: {
        message: 'Too many orders at once; this one was not accepted.',
        error: 'Service Unavailable',
        statusCode: 503,
        ...forMachines('overloaded'),
      },
    });
    opened.resolve(undefined);
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(MAX_IN_FLIGHT);
    expect(statuses.filter((status) => status === 503)).toHaveLength(SENT - MAX_IN_FLIGHT);
    expect(mostInserting).toBe(MAX_IN_FLIGHT);
    expect(await telemetry.metricsText()).toMatch(
      new RegExp(`orders_refused_total\\{reason="overload"[^}]*\\} ${SENT - MAX_IN_FLIGHT}\\b`),
    );
  });

  it('leave nothing behind, and do not use up the limit for later orders', async () => {
    const first: ReturnType<typeof post>[] = [];
    while (first.length < MAX_IN_FLIGHT) {
      first.push(post(order!.body));
      while (inserting < first.length) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const other = recordOf(7);
    const beyond = await post({ ...order!.body, orderHash: other.payload.orderHash });
    expect(beyond.status).toBe(503);
    opened.resolve(undefined);
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(Array(MAX_IN_FLIGHT).fill(201));
    expect(await stores.orders.has(other.id)).toBe(false);
    expect(await stores.outbox.waiting(10)).toBe(1);
    expect((await post(order!.body)).status).toBe(201);
  });

  it('do not include orders that were refused for their content', async () => {
    for (let n = 0; n < MAX_IN_FLIGHT * 3; n++) {
      const { status } = await post({ ...order!.body, orderHash: recordOf(n).payload.orderHash });
      expect(status).toBe(422);
    }
    opened.resolve(undefined);
    expect((await post(order!.body)).status).toBe(201);
  });
});

describe('the limit', () => {
  it('is configurable', async () => {
    const admission = new OrderAdmission(20);
    const opened = Promise.withResolvers<string>();
    const going: Promise<string>[] = [];
    for (let n = 0; n < 20; n++) {
      going.push(admission.pass(() => opened.promise));
      await nextTurn();
    }
    await expect(admission.pass(async () => '')).rejects.toBeInstanceOf(TooManyOrders);
    opened.resolve('done');
    expect(await Promise.all(going)).toEqual(Array(20).fill('done'));
    await nextTurn();
    expect(await admission.pass(async () => 'after')).toBe('after');
  });

  it('is lower when orders are so slow that the last of a turn would be late; the next turn starts afresh', async () => {
    const admission = new OrderAdmission(1_000);
    const slow = async (): Promise<string> => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return 'done';
    };
    // All in one turn of the event loop: 400 ms if all of them were taken.
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => admission.pass(slow)));
    const taken = outcomes.filter(({ status }) => status === 'fulfilled').length;
    expect(taken).toBeGreaterThanOrEqual(1);
    expect(taken).toBeLessThanOrEqual(8);
    await nextTurn();
    expect(await admission.pass(slow)).toBe('done');
  });

  it('never keeps out the first order of a turn, however long the turn before it', async () => {
    const admission = new OrderAdmission(1_000, 5);
    const work = async (): Promise<void> => {
      const until = performance.now() + 20;
      while (performance.now() < until);
    };
    for (let turn = 0; turn < 3; turn++) {
      await admission.pass(work);
      await nextTurn();
    }
  });
});

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
