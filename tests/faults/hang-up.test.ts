/**
 * Senders of orders that disconnect at once: a forwarded order is stored, and counts like any other request.
 * An order whose sender has left before the gateway's turn for it is neither forwarded nor counted.
 */
import { openUsage } from '@hindsight/usage/open.ts';
import type { UsageStore } from '@hindsight/usage/ports.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { dayOf } from '@hindsight/usage/calendar.ts';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runAdmin } from '../support/admin.ts';
import { untilMonthLasts } from '../support/one-month.ts';
import { hangUp } from '../support/orders/hang-up.ts';
import { runService, type RunningService } from '../support/service-process.ts';

const SENDERS = 60;
/** Longer than any sender waits for an answer. */
const STORING_MS = 20;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-hang-up-'));
const lifecycle = createLifecycle(createLogger({ name: 'test', level: 'silent' }));
/** Orders that reached the service, those that it stored, and those whose client it saw disconnect. */
const service = { arrived: 0, stored: 0, cancelled: 0 };
const orders = createServer((request, response) => void store(request, response));
async function store(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  service.arrived++;
  await sleep(STORING_MS);
  if (response.destroyed) service.cancelled++;
  else if (body === '{"order":1}') service.stored++;
  response.writeHead(201).end('{}');
}
const started: RunningService[] = [];
let gateway: RunningService;
let project: { project: string; key: string };
let usage: UsageStore;

beforeAll(async () => {
  await untilMonthLasts();
  orders.listen(0, '127.0.0.1');
  await once(orders, 'listening');
  const url = `http://127.0.0.1:${(orders.address() as AddressInfo).port}`;
  const settings = {
    DATA_DIR: folder,
    SECRETS_KEY: 'a secret of some length',
    BALANCE_URL: url,
    TOKENS_URL: url,
    ORDERS_URL: url,
  };
  const words = ['project', 'create', '--name', 'Ada', '--plan', 'enterprise', '--json'];
  const limits = ['--monthly-limit', '10000', '--rate', '1000'];
  const { stdout } = await runAdmin(settings, ...words, ...limits);
  project = JSON.parse(stdout) as typeof project;
  gateway = await runService('gateway', settings);
  started.push(gateway, await runService('metering', settings));
  ({ usage } = await openUsage({ dataDir: folder }, lifecycle));
});

afterAll(async () => {
  await Promise.all(started.map((process) => process.end('SIGTERM')));
  orders.closeAllConnections();
  orders.close();
  await lifecycle.shutdown('end of test');
  rmSync(folder, { recursive: true, force: true });
});

it('counts every order that is stored, whether its sender waited or not', async () => {
  await send(async (afterMs) => hangUp({ url: gateway.url, ...order(), afterMs }));
  await expectCounted();
});

it(`stores and counts ${SENDERS} orders of ${SENDERS} whose senders hang up once they are forwarded`, async () => {
  const before = { ...service };
  await send(async (afterMs) => {
    const { arrived } = service;
    const reached = () => until('it has come to the service', () => service.arrived > arrived, 60_000, 1);
    await hangUp({ url: gateway.url, ...order(), reached, afterMs });
  });
  // One more has waited.
  expect(service.stored - before.stored).toBe(SENDERS + 1);
  await expectCounted();
});

function order(): { key: string; body: string } {
  return { key: project.key, body: '{"order":1}' };
}

/**
 * Sends all orders, then one whose sender waits, so that the project is known and all earlier ones have been
 * forwarded.
 */
async function send(one: (afterMs: number) => Promise<void>): Promise<void> {
  for (let i = 0; i < SENDERS; i++) await one(i % 4);
  const { key, body } = order();
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const url = `${gateway.url}/v1/eth-mainnet/orders/dex-webhook`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  await until('nothing is under way', () => service.arrived === service.stored + service.cancelled);
}

async function expectCounted(): Promise<void> {
  const counted = async (): Promise<number> =>
    (await usage.read(project.project, dayOf(Date.now()).slice(0, 7))).requests;
  let stored: number;
  do {
    ({ stored } = service);
    await until('all are counted', async () => (await counted()) >= stored);
    await sleep(1_000);
    // One that was still on its way is counted as well.
  } while (service.stored > stored);
  expect({ counted: await counted(), cancelled: service.cancelled }).toEqual({
    counted: service.stored,
    cancelled: 0,
  });
}
