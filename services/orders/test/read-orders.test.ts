/** Orders as they are read back: one by its hash, and lists. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain } from '@hindsight/devchain/anvil.ts';
import { openStream } from '@hindsight/http/test/support/open-stream.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import { signedOrders } from './support/fixtures.ts';
import { runOrders, type Answer, type RunningOrders } from './support/run-orders.ts';

const PATH = '/v1/eth-mainnet/orders';
const sent = signedOrders().filter(({ network, erc1271 }) => network === 'eth-mainnet' && !erc1271);
const [first, second] = sent as [(typeof sent)[0], (typeof sent)[0]];
const FILLER = '0x3333333333333333333333333333333333333333';
const FILLED: OrderState = {
  status: 'filled',
  finalized: true,
  knownAt: 20,
  filler: FILLER,
  transaction: `0x${'44'.repeat(32)}`,
  block: 19,
  blockHash: `0x${'55'.repeat(32)}`,
  amounts: {
    input: { token: FILLER, amount: '1' },
    outputs: [{ token: FILLER, amount: '2', recipient: FILLER }],
  },
};

const chain = forAllTests(() => startEmptyChain(), 'stop');

async function start(readable?: 'any' | 'own'): Promise<RunningOrders> {
  const orders = await runOrders(chain.url, readable === undefined ? {} : { readable });
  // Received one second after another, so that their order is known.
  for (const { body, validAt, network } of sent.toSorted((a, b) => a.validAt - b.validAt)) {
    orders.setTime(validAt * 1000);
    const { status } = await orders.post(`/v1/${network}/orders/dex-webhook`, JSON.stringify(body));
    expect(status).toBe(201);
  }
  await orders.published(sent.length);
  expect(await orders.settle(`1:${first.body.orderHash}`, FILLED)).toBe('changed');
  return orders;
}

type Row = {
  readonly orderHash: string;
  readonly receivedAt: string;
  readonly order: { readonly type: string };
};
const rowsOf = ({ body }: Answer): Row[] => body.orders as Row[];
const hashesOf = (answer: Answer): string[] => rowsOf(answer).map(({ orderHash }) => orderHash);

describe('reading orders', () => {
  let orders: RunningOrders;
  beforeAll(async () => {
    orders = await start();
  });
  afterAll(() => orders.stop());

  it('gives one as it was sent, decoded, and with its state; to any project', async () => {
    const path = `${PATH}/${first.body.orderHash}`;
    const answer = await orders.get(path, 'another');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        chainId: 1,
        network: 'eth-mainnet',
        orderHash: first.body.orderHash,
        receivedAt: new Date(first.validAt * 1000).toISOString(),
        payload: { signature: first.body.signature, encodedOrder: first.body.encodedOrder },
        order: { type: first.body.type, input: {}, outputs: expect.any(Array), nonce: expect.any(String) },
        state: FILLED,
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain('project');
    expect(
      (await orders.get(path.toUpperCase().replace('/V1/ETH-MAINNET/ORDERS/0X', `${PATH}/0x`))).body,
    ).toEqual(answer.body);
    expect((await orders.get(`${PATH}/${second.body.orderHash}`)).body.state).toEqual({ status: 'open' });
  });

  it.each([
    [`${PATH}/0x${'00'.repeat(32)}`, 404, 'unknown_order', 'orderHash: no order 0x0000'],
    [`${PATH}/0x12`, 400, 'invalid_parameter', 'orderHash: expected'],
    [`${PATH}/${first.body.orderHash}?x=1`, 400, 'unknown_parameter', 'unknown parameter x'],
    [`${PATH}/nothing`, 404, 'unknown_route', 'There is nothing'],
    [`/v1/no-net/orders/${first.body.orderHash}`, 404, 'unknown_network', 'no-net'],
    // The order is of another network.
    [`/v1/arb-mainnet/orders/${first.body.orderHash}`, 404, 'unknown_order', 'arb-mainnet'],
    [`${PATH}?status=done`, 400, 'invalid_parameter', 'status'],
    [`${PATH}?type=Dutch_V9`, 400, 'invalid_parameter', 'type'],
    [`${PATH}?swapper=vitalik.eth`, 400, 'invalid_parameter', 'swapper'],
    [`${PATH}?filler=0x`, 400, 'invalid_parameter', 'filler'],
    [`${PATH}?limit=501`, 400, 'invalid_parameter', 'limit: expected a whole number from 1 to 500'],
    [`${PATH}?cursor=AAAA`, 400, 'invalid_parameter', 'cursor: expected the next'],
    [`${PATH}?own=false`, 400, 'invalid_parameter', 'own'],
    [`${PATH}?nonce=1`, 400, 'unknown_parameter', 'nonce'],
  ])('refuses %s with %d', async (path, status, code, message) => {
    expect(await orders.get(path)).toMatchObject({
      status,
      body: { code, message: expect.stringContaining(message) },
    });
  });

  it('lists all, newest first, on pages that hold them once each', async () => {
    const whole = await orders.get(PATH);
    expect(whole).toMatchObject({
      status: 200,
      units: '1',
      body: { network: 'eth-mainnet', chainId: 1, units: 1, next: null },
    });
    const times = rowsOf(whole).map(({ receivedAt }) => receivedAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(hashesOf(whole).toSorted()).toEqual(sent.map(({ body }) => body.orderHash).toSorted());
    const paged: string[] = [];
    for (let cursor = ''; ;) {
      const page = await orders.get(`${PATH}?limit=4${cursor}`);
      paged.push(...hashesOf(page));
      const { next } = page.body as { next: string | null };
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(paged).toEqual(hashesOf(whole));
  });

  it('lists by state, filler, swapper and type', async () => {
    const filled = [first.body.orderHash];
    expect(hashesOf(await orders.get(`${PATH}?status=filled`))).toEqual(filled);
    expect(hashesOf(await orders.get(`${PATH}?filler=${FILLER}&type=${first.body.type}`))).toEqual(filled);
    expect(hashesOf(await orders.get(`${PATH}?filler=${FILLER}&status=open`))).toEqual([]);
    expect(hashesOf(await orders.get(`${PATH}?status=open`))).toHaveLength(sent.length - 1);
    const own = sent.filter(({ body }) => body.offerer === first.body.offerer);
    const bySwapper = await orders.get(`${PATH}?swapper=${first.body.offerer}`);
    expect(hashesOf(bySwapper).toSorted()).toEqual(own.map(({ body }) => body.orderHash).toSorted());
    const ofProject = await orders.get(`${PATH}?own=true&status=filled`);
    expect(hashesOf(ofProject)).toEqual(filled);
    expect(hashesOf(await orders.get(`${PATH}?own=true`, 'another'))).toEqual([]);
    const v2 = await orders.get(`${PATH}?type=Dutch_V2`);
    expect(rowsOf(v2).length).toBeGreaterThan(0);
    expect(new Set(rowsOf(v2).map(({ order }) => order.type))).toEqual(new Set(['Dutch_V2']));
  });

  it('refuses a cursor of another question', async () => {
    const { next } = (await orders.get(`${PATH}?limit=1`)).body;
    expect(next).toEqual(expect.any(String));
    for (const other of ['&status=open', `&swapper=${FILLER}`, '&type=Dutch', '&own=true'])
      expect(await orders.get(`${PATH}?cursor=${String(next)}${other}`)).toMatchObject({
        status: 400,
        body: { message: 'cursor: expected the next of an earlier answer to the same question' },
      });
  });
});

describe('orders that each project reads alone', () => {
  let orders: RunningOrders;
  beforeAll(async () => {
    orders = await start('own');
  });
  afterAll(() => orders.stop());

  it('are found and listed with its own keys, and unknown to others', async () => {
    const path = `${PATH}/${first.body.orderHash}`;
    expect((await orders.get(path)).status).toBe(200);
    expect(hashesOf(await orders.get(PATH))).toHaveLength(sent.length);
    const foreign = await orders.get(path, 'another');
    expect(foreign).toMatchObject({ status: 404, body: { code: 'unknown_order' } });
    expect(hashesOf(await orders.get(`${PATH}?status=filled`, 'another'))).toEqual([]);
    const url = `${await orders.listen()}${PATH}/stream?last_event_id=0`;
    for (const [project, holds] of [
      ['project-1', true],
      ['another', false],
    ] as const) {
      const stream = await openStream(url, { 'x-hindsight-project': project });
      // A gateway shares streams of one name among its readers.
      expect(stream.headers['x-hindsight-stream']).toBe(`eth-mainnet/${project}`);
      expect((await stream.until(': keep-alive\n\n', 2)).includes(first.body.orderHash)).toBe(holds);
      stream.leave();
    }
    // Nor does a cursor carry one project's question to another.
    const { next } = (await orders.get(`${PATH}?limit=1`)).body;
    expect((await orders.get(`${PATH}?cursor=${String(next)}`, 'another')).status).toBe(400);
  });
});
