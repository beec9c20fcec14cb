/** One trace through several processes as a collector sees it, and what it must not see. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { openBus } from '@hindsight/bus/open.ts';
import { systemClock } from '@hindsight/kernel/clock.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createProject } from '@hindsight/projects/create-project.ts';
import { openProjects } from '@hindsight/projects/open.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts';
import { runService, type RunningService } from '../support/service-process.ts';

const SECRETS_KEY = 'a secret of the tests';
const ROUTE = '/v1/:network/balance/single';
const PATH = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}`;
const CALLER = 'b7ad6b7169203331';

const logger = createLogger({ name: 'test', level: 'silent' });

let folder: string;
let devchain: Devchain;
let receiver: OtlpReceiver;
let balance: RunningService;
let orders: RunningService;
let metering: RunningService;
let gateway: RunningService;
let key: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hindsight-trace-'));
  [devchain, receiver] = await Promise.all([sharedDevchain(process.env), startOtlpReceiver()]);
  key = await makeProject();
  const nodeUrl = `${devchain.url}/?apikey=node-secret-1234`;
  balance = await runService('balance', { ...receiver.env, ETH_RPC_URL: nodeUrl });
  orders = await runService('orders', { ...receiver.env, ETH_RPC_URL: nodeUrl, DATA_DIR: folder });
  metering = await runService('metering', { ...receiver.env, DATA_DIR: folder });
  gateway = await runService('gateway', {
    ...receiver.env,
    DATA_DIR: folder,
    SECRETS_KEY,
    BALANCE_URL: balance.url,
    ORDERS_URL: orders.url,
    // Not used here, but it needs an address.
    TOKENS_URL: balance.url,
  });
});

afterAll(async () => {
  await Promise.all([gateway, balance, orders, metering].map((service) => service?.end('SIGKILL')));
  await receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function makeProject(): Promise<string> {
  const lifecycle = createLifecycle(logger);
  const parts = { clock: systemClock, ids: randomIds, lifecycle };
  const { projects } = await openProjects({ dataDir: folder, secret: SECRETS_KEY }, parts);
  const created = await createProject({ projects, ...parts }, { name: 'traced', plan: 'free' });
  await lifecycle.shutdown('the project is made');
  return created.key;
}

function traceparent(traceId: string, flags = '01'): string {
  return `00-${traceId}-${CALLER}-${flags}`;
}

function nameAndParent(span: ReceivedSpan, all: readonly ReceivedSpan[]): string {
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId);
  const above = parent === undefined ? (span.parentSpanId ?? 'none') : `${parent.service} ${parent.name}`;
  return `${span.service} ${span.name} < ${above}`;
}

describe('a traced request', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  let spans: readonly ReceivedSpan[];
  let response: Response;

  beforeAll(async () => {
    response = await fetch(`${gateway.url}${PATH}&projectId=${key}`, {
      headers: { traceparent: traceparent(traceId) },
    });
    await response.text();
    // Each process sends its spans in batches: the last of balance may come after all of the gateway.
    await until('the spans of both requests are sent', () => {
      spans = receiver.spans.filter((span) => span.traceId === traceId);
      const tree = spans.map((span) => nameAndParent(span, spans));
      return [`gateway GET ${ROUTE}`, `balance GET ${ROUTE}`].every((name) =>
        tree.some((line) => line.startsWith(`${name} < `)),
      );
    });
  });

  it('is one trace, from the caller’s span over gateway and balance to the node', () => {
    expect(response.status).toBe(200);
    const tree = spans.map((span) => nameAndParent(span, spans));
    expect(tree).toEqual(
      expect.arrayContaining([
        `gateway GET ${ROUTE} < ${CALLER}`,
        `balance GET ${ROUTE} < gateway GET ${ROUTE}`,
        expect.stringMatching(new RegExp(`^balance JSON-RPC .* < balance GET ${ROUTE}$`)),
      ]),
    );
  });

  it('records the request and its outcome', () => {
    const [outer] = spans.filter(({ service }) => service === 'gateway');
    expect(outer?.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': ROUTE,
      'http.response.status_code': '200',
      'url.path': '/v1/eth-mainnet/balance/single',
      'hindsight.request_id': response.headers.get('x-request-id'),
    });
  });

  it('is returned to the caller as its own trace', () => {
    expect(response.headers.get('traceparent')).toMatch(new RegExp(`^00-${traceId}-`));
  });

  it('gives away neither the key, nor the query, nor the node’s URL', () => {
    for (const secret of [key, 'projectId', HOLDERS.alice, 'node-secret-1234', SECRETS_KEY])
      expect(receiver.text()).not.toContain(secret);
  });
});

/** SPAN_KIND_SERVER of OTLP. */
const SERVER = 2;

describe('a traced order', () => {
  const traceId = 'cccccccccccccccccccccccccccccccc';
  const webhook = 'POST /v1/:network/orders/dex-webhook';

  it('continues in its event, for the handler', async () => {
    const lifecycle = createLifecycle(logger);
    const parts = { logger, clock: systemClock, ids: randomIds, lifecycle };
    try {
      const { bus } = await openBus({ dataDir: folder }, parts);
      const received = new Promise<string | undefined>((resolve) => {
        void bus.subscribe({ group: 'traced', topics: ['orders.received'] }, async ([event]) =>
          resolve(event?.traceparent),
        );
      });
      const response = await fetch(`${gateway.url}/v1/eth-mainnet/orders/dex-webhook`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': key,
          traceparent: traceparent(traceId),
        },
        body: makeOrder(1n).body,
      });
      expect(response.status).toBe(201);
      const serverSpan = () =>
        receiver.spans.find(
          (span) => span.traceId === traceId && span.service === 'orders' && span.kind === SERVER,
        );
      await until('the span of the service is sent', () => serverSpan() !== undefined);
      expect(await received).toBe(`00-${traceId}-${serverSpan()?.spanId}-01`);
    } finally {
      await lifecycle.shutdown('test');
    }
  });

  it('is one trace, from the webhook over the outbox to the service that counts it', async () => {
    const tree = (): string[] => {
      const spans = receiver.spans.filter((span) => span.traceId === traceId);
      return spans.map((span) => nameAndParent(span, spans));
    };
    for (const line of [
      `gateway ${webhook} < ${CALLER}`,
      `orders ${webhook} < gateway ${webhook}`,
      `orders send orders.received < orders ${webhook}`,
      `metering process orders.received < orders ${webhook}`,
    ])
      await until(`there is: ${line}`, () => tree().includes(line));
  });
});

describe('sampling', () => {
  it('is the caller’s decision: an unsampled trace is not sent', async () => {
    const unsampled = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    const sampled = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
    for (const header of [traceparent(unsampled, '00'), traceparent(sampled)])
      await fetch(gateway.url + PATH, { headers: { traceparent: header, 'x-api-key': key } });
    await receiver.trace(sampled, 3, ['gateway', 'balance']);
    expect(receiver.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  it('begins a trace if the caller has none, or a malformed one', async () => {
    const response = await fetch(gateway.url + PATH, {
      headers: { traceparent: '00-zz-1-01', 'x-api-key': key },
    });
    const [, traceId = ''] = (response.headers.get('traceparent') ?? '').split('-');
    const spans = await receiver.trace(traceId, 3, ['gateway', 'balance']);
    expect(spans.some(({ service, parentSpanId }) => service === 'gateway' && !parentSpanId)).toBe(true);
  });
});

describe('metrics', () => {
  it('are sent as well', async () => {
    for (const name of [
      'http.server.request.duration',
      'http.server.active_requests',
      'rpc.client.call.duration',
      'messaging.client.operation.duration',
      'messaging.process.duration',
      'hindsight.bus.consumer.lag',
      'nodejs.eventloop.delay.p99',
      'v8js.memory.heap.used',
    ])
      await until(`${name} is sent`, () => receiver.metrics.has(name));
  });
});

describe('a collector that goes away', () => {
  it('affects neither answers nor a clean shutdown', async () => {
    await receiver.close();
    const response = await fetch(gateway.url + PATH, { headers: { 'x-api-key': key } });
    expect(response.status).toBe(200);
    const begun = performance.now();
    expect(await gateway.end('SIGTERM')).toBe(0);
    expect(performance.now() - begun).toBeLessThan(60_000);
    expect(gateway.output()).not.toContain(key);
  });
});
