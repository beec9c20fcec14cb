/** The stream of orders as its readers see it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { openStream, type OpenStream } from '@hindsight/http/test/support/open-stream.ts';
import { signedOrders } from './support/fixtures.ts';
import { runOrders, type RunningOrders } from './support/run-orders.ts';

const PATH = '/v1/eth-mainnet/orders/stream';
const sent = signedOrders().filter(({ network, erc1271 }) => network === 'eth-mainnet' && !erc1271);

let chain: Anvil;
let orders: RunningOrders;
let url: string;

beforeAll(async () => {
  chain = await startEmptyChain();
});
afterAll(() => chain.stop());
beforeEach(async () => {
  orders = await runOrders(chain.url);
  url = await orders.listen();
});
afterEach(() => orders.stop());

async function post(from: number, to: number): Promise<void> {
  for (const { body, validAt, network } of sent.slice(from, to)) {
    orders.setTime(validAt * 1000);
    const { status } = await orders.post(`/v1/${network}/orders/dex-webhook`, JSON.stringify(body));
    expect(status).toBe(201);
  }
  await orders.published(to);
}

async function open(lastEventId?: string, query = ''): Promise<OpenStream> {
  const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId };
  const stream = await openStream(url + PATH + query, headers);
  expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  return stream;
}

/** All that has come, once this many events have come whole: what keeps the connection alive may come between them. */
async function untilOrders(reader: OpenStream, count: number): Promise<string> {
  for (let ends = 1; ; ends++) {
    const text = await reader.until('\n\n', ends);
    if ((text.match(/^data: .*\n\n/gm) ?? []).length >= count) return text;
  }
}

const hashesIn = (text: string): string[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, json]) => (JSON.parse(json!) as { orderHash: string }).orderHash,
  );
const idsIn = (text: string): string[] => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
const hashesOf = (from: number, to: number): string[] =>
  sent.slice(from, to).map(({ body }) => body.orderHash);

describe('the stream of orders', () => {
  it('begins with its position, and gives what is received from then on, in order', async () => {
    await post(0, 1);
    const reader = await open();
    expect(reader.headers['x-hindsight-stream']).toBe('eth-mainnet');
    await reader.until('id: ');
    await post(1, 3);
    const text = await untilOrders(reader, 2);
    expect(text).toMatch(/^retry: 2000\nid: \/orders\/[\w-]+:1\n\n/);
    expect(hashesIn(text)).toEqual(hashesOf(1, 3));
    expect(text).not.toContain('project-1');
    reader.leave();
  });

  it('resumes right behind an event, by header or by query, the header first', async () => {
    await post(0, 3);
    const all = await open('0');
    const text = await untilOrders(all, 3);
    expect(hashesIn(text)).toEqual(hashesOf(0, 3));
    const [, first = '', second = ''] = idsIn(text);
    for (const [header, query] of [
      [first, ''],
      [undefined, `?last_event_id=${encodeURIComponent(first)}`],
      [first, `?last_event_id=${encodeURIComponent(second)}`],
    ] as const) {
      const reader = await open(header, query);
      expect(hashesIn(await untilOrders(reader, 2))).toEqual(hashesOf(1, 3));
      reader.leave();
    }
    all.leave();
  });

  it('says that it lives while nothing comes', async () => {
    const reader = await open();
    await reader.until(': keep-alive\n\n', 2);
    reader.leave();
  });

  it('ends when the service stops', async () => {
    const another = await runOrders(chain.url);
    const stream = await openStream((await another.listen()) + PATH);
    await another.stop();
    expect(await stream.end()).toContain('id: ');
  });

  it.each([
    ['nonsense', 'Last-Event-ID: expected'],
    ['/orders/another:1', 'there is no such event here'],
  ])('refuses the position %s', async (id, message) => {
    const answer = await fetch(url + PATH, { headers: { 'last-event-id': id } });
    const body = (await answer.json()) as { message: string };
    expect([answer.status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('answers HEAD with the head alone', async () => {
    const answer = await fetch(url + PATH, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });
});
