/** The webhook as its sender sees it, on the embedded stores and the dev chain's node. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { AbiCoder, ZeroAddress } from 'ethers';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { hostileCases, signedOrders, type HostileCase, type SignedOrder } from './support/fixtures.ts';
import { measured } from './support/measured.ts';
import { runOrders, type RunningOrders } from './support/run-orders.ts';
import { APPROVES_ALL, setCode } from './support/wallets.ts';

const chain = forAllTests(() => startEmptyChain(), 'stop');

const all = signedOrders();
const post = (orders: RunningOrders, { network, body }: SignedOrder) =>
  orders.post(`/v1/${network}/orders/dex-webhook`, JSON.stringify(body));

describe('a query parameter', () => {
  it('is refused by name', async () => {
    const orders = await runOrders(chain.url);
    const body = JSON.stringify(all[0]!.body);
    expect(await orders.post('/v1/eth-mainnet/orders/dex-webhook?dryRun=1', body)).toMatchObject({
      status: 400,
      body: { message: 'unknown parameter dryRun; expected none' },
    });
    await orders.stop();
  });
});

describe('every signed order', () => {
  let orders: RunningOrders;

  beforeAll(async () => {
    orders = await runOrders(chain.url);
    const wallet = all.find(({ erc1271 }) => erc1271)!.erc1271!.wallet;
    await setCode(chain.url, wallet, APPROVES_ALL);
  });
  afterAll(() => orders.stop());

  it.each(all.map((order) => [order.title, order] as const))('is accepted: %s', async (_, order) => {
    orders.setTime(order.validAt * 1000);
    const { orderHash, chainId } = order.body;
    expect(await post(orders, order)).toMatchObject({
      status: 201,
      body: { orderHash, chainId, duplicate: false },
    });
    // The sender does send orders twice: at once, and again from its stream with a different createdAt.
    const again = { ...order, body: { ...order.body, createdAt: order.body.createdAt + 1 } };
    expect(await post(orders, again)).toMatchObject({
      status: 201,
      body: { orderHash, chainId, duplicate: true },
    });
  });

  it('is published exactly once, with its contents as sent', async () => {
    const events = await orders.published(all.length);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(events).toHaveLength(all.length);
    expect(events.map(({ sequence }) => sequence!).sort((a, b) => a - b)).toEqual(all.map((_, at) => at + 1));
    for (const { body, network, validAt } of all) {
      const event = events.find(({ id }) => id === `${body.chainId}:${body.orderHash}`)!;
      const { encodedOrder, signature, orderHash, chainId, type, filler, quoteId, offerer } = body;
      const createdAt = new Date(
        body.createdAt > 1e11 ? body.createdAt : body.createdAt * 1000,
      ).toISOString();
      const optional = JSON.parse(JSON.stringify({ filler, quoteId })) as object;
      expect(event).toMatchObject({ type: 'order-received', time: validAt * 1000 });
      expect(event.data).toMatchObject({
        chainId,
        network,
        orderHash,
        projectId: 'project-1',
        receivedAt: new Date(validAt * 1000).toISOString(),
        payload: {
          orderHash,
          createdAt,
          signature,
          orderStatus: 'open',
          encodedOrder,
          chainId,
          type,
          offerer,
          ...optional,
        },
      });
      expect(event.data.payload).not.toHaveProperty('notifiedAt');
      expect(event.data.order).toMatchObject({ type });
      expect(event.data.order.swapper.toLowerCase()).toBe(offerer);
    }
  });

  it('is published as docs/asyncapi.yaml describes', async () => {
    const file = new URL('../../../docs/asyncapi.yaml', import.meta.url);
    const document = parse(readFileSync(file, 'utf8')) as { components: { schemas: Record<string, object> } };
    const ajv = addFormats.default(new Ajv({ strict: false }));
    const check = ajv.compile(document.components.schemas['orders.received.order-received']!);
    for (const { data } of await orders.published(all.length)) {
      expect(check(JSON.parse(JSON.stringify(data))) ? [] : check.errors).toEqual([]);
    }
    expect(check({ chainId: 'one' })).toBe(false);
  });

  it('is counted', async () => {
    const text = await orders.metrics();
    expect(text).toContain(`orders_received_total{result="new"`);
    // A question about an order is none that was sent.
    const unknown = await orders.get(`/v1/eth-mainnet/orders/0x${'0'.repeat(64)}`);
    expect(unknown.status).toBe(404);
    expect(await orders.metrics()).not.toContain('orders_refused_total{');
    expect(text).toMatch(new RegExp(`orders_received_total\\{result="new"[^}]*\\} ${all.length}\\b`));
    // The relay counts a batch once the store has noted that it is published.
    const counted = new RegExp(`orders_published_total[^ ]* ${all.length}\\b`);
    await until('all are counted as published', async () => counted.test(await orders.metrics()));
  });
});

/** 900 outputs that share one part, with a curve of 900 points: 58 KB that expand to 810,000 numbers. */
function abiBomb(outputs = 900, points = 900): string {
  const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');
  const [v3] = all.filter(({ body }) => body.type === 'Dutch_V3');
  const types = ['tuple(address,uint256,tuple(uint256,int256[]),address,uint256,uint256)'];
  const curve = [0n, Array.from({ length: points }, () => 1n)];
  const output = AbiCoder.defaultAbiCoder()
    .encode(types, [[ZeroAddress, 1n, curve, ZeroAddress, 1n, 1n]])
    .slice(2 + 64);
  const list = word(outputs) + word(outputs * 32).repeat(outputs) + output;
  const hex = v3!.body.encodedOrder.slice(2);
  // The outputs' offset is the fifth word of the order, which begins after one word.
  const at = 64 + 4 * 64;
  return `0x${hex.slice(0, at)}${word(hex.length / 2 - 32)}${hex.slice(at + 64)}${list}`;
}

function bodyOf({ name, body, rawBody, bodyRecipe }: HostileCase): string {
  if (rawBody !== undefined) return rawBody;
  if (bodyRecipe === undefined) return JSON.stringify(body);
  const [first] = all.filter(({ title }) => title.startsWith('Dutch_V2 exclusive'));
  if (name.startsWith('quoteId')) return JSON.stringify({ ...first!.body, quoteId: 'a'.repeat(1 << 20) });
  return JSON.stringify({ ...first!.body, type: 'Dutch_V3', encodedOrder: abiBomb() });
}

describe('a hostile request', () => {
  let orders: RunningOrders;

  beforeAll(async () => {
    orders = await runOrders(chain.url, { everywhere: false });
    // The first request compiles: what is measured afterwards is the service as it runs.
    orders.setTime(hostileCases()[0]!.now * 1000);
    for (const order of all.slice(11, 15)) await post(orders, order);
  });
  afterAll(() => orders.stop());

  it.each(hostileCases().map((one) => [one.name, one] as const))(
    'gets the expected answer: %s',
    async (_, one) => {
      orders.setTime(one.now * 1000);
      const body = bodyOf(one);
      const answer = await measured(() => orders.post(one.path, body, one.headers));
      expect(one.expect.status).toContain(answer.status);
      if (answer.status >= 400) {
        expect(answer.body).toEqual({
          message: expect.any(String),
          error: expect.any(String),
          statusCode: answer.status,
          ...forMachines(),
        });
      } else expect(answer.body.duplicate).toBe(true);
      expect(answer.milliseconds).toBeLessThan(1_000);
      expect(answer.processorMs).toBeLessThan(50);
    },
  );

  it('publishes nothing', async () => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await orders.published(4)).length).toBe(4);
  });

  it('cannot block the event loop even with the largest order that is decoded', async () => {
    const [v3] = all.filter(({ body }) => body.type === 'Dutch_V3');
    let encodedOrder = '';
    for (let n = 10; abiBomb(n, n).length <= 8_194; n++) encodedOrder = abiBomb(n, n);
    const answer = await measured(() => post(orders, { ...v3!, body: { ...v3!.body, encodedOrder } }));
    expect(answer).toMatchObject({ status: 422, body: { message: expect.stringContaining('encodedOrder') } });
    expect(answer.milliseconds).toBeLessThan(1_000);
    expect(answer.processorMs).toBeLessThan(50);
  });
});
