/** The stream of orders through the gateway, as the client and the command line read it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type Order, type OrderEndEvent, type OrderEvent } from '@hindsight/client';
import { freePort } from '@hindsight/tools/servers/ports.ts';
import { ask } from '@hindsight/devchain/client.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { validatorOf, type Media } from '../openapi/schemas.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { machineEnv } from '../support/machine.ts';
import { makeOrder } from '../support/orders/signed-orders.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hindsight-orders-'));
const ORDERS = 30;
const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, { get: { responses: Record<string, { content: Record<string, Media> }> } }>;
};
const { content } = paths['/v1/{network}/orders/stream']!.get.responses[200]!;
/** True if the document has data of an event. */
const isDescribed = validatorOf(content['text/event-stream']!);

let chain: Devchain;
let settings: Readonly<Record<string, string>>;
let hindsight: HindsightProcess;
let apiKey: string;

beforeAll(async () => {
  chain = await startDevchain();
  settings = { DATA_DIR: join(folder, 'data'), PORT: String(await freePort()), ETH_RPC_URL: chain.url };
  hindsight = await startHindsight(settings);
  apiKey = await makeFastKey(settings.DATA_DIR!);
});
afterAll(async () => {
  await hindsight.end('SIGTERM');
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Like a sender that repeats what was not answered. */
async function post(nonce: number): Promise<string> {
  const { id, body } = makeOrder(BigInt(nonce));
  const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
  for (;;) {
    const url = `${hindsight.url}/v1/eth-mainnet/orders/dex-webhook`;
    const status = await fetch(url, { method: 'POST', headers, body }).then(
      async (answer) => (await answer.arrayBuffer(), answer.status),
      () => 0,
    );
    if (status === 201) return id;
    await new Promise((done) => setTimeout(done, 200));
  }
}

describe('orders.stream()', () => {
  const events: OrderEvent[] = [];
  const idOf = ({ order }: OrderEvent): string => `${order.chainId}:${order.orderHash}`;

  it('loses none and repeats none while the service is killed and started again', async () => {
    const leaving = new AbortController();
    const client = createClient({ apiKey, url: hindsight.url, retries: 100 });
    const reading = (async () => {
      for await (const event of client.orders.stream({ lastEventId: '0', signal: leaving.signal })) {
        events.push(event);
        if (events.length === ORDERS) return;
      }
    })();
    const sent: string[] = [];
    for (let nonce = 1; nonce <= ORDERS; nonce++) {
      if (nonce === ORDERS / 3) {
        await hindsight.end('SIGKILL');
        hindsight = await startHindsight(settings);
      }
      if (nonce === (ORDERS * 2) / 3) {
        await hindsight.end('SIGTERM');
        hindsight = await startHindsight(settings);
      }
      sent.push(await post(nonce));
    }
    await reading;
    leaving.abort();
    expect(events.map(idOf)).toEqual(sent);
    const sequences = events.map(({ id }) => Number(id.slice(id.lastIndexOf(':') + 1)));
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  });

  it('resumes behind an event', async () => {
    const middle = events[ORDERS / 2]!;
    const client = createClient({ apiKey, url: hindsight.url });
    for await (const event of client.orders.stream({ lastEventId: middle.id })) {
      expect(idOf(event)).toBe(idOf(events[ORDERS / 2 + 1]!));
      break;
    }
  });

  it('of a position that is none is an error, and not asked again', async () => {
    const client = createClient({ apiKey, url: hindsight.url });
    const stream = client.orders.stream({ lastEventId: '/orders/another:1' });
    await expect(stream.next()).rejects.toMatchObject({ name: 'InvalidRequest' });
  });

  it('is printed by `hindsight orders tail`', async () => {
    const printed = await printedBy('orders', 'tail', '--after', '0', '--limit', '3', '--json');
    expect(printed).toEqual(events.slice(0, 3));
  });
});

/** The JSON lines that a command prints. */
async function printedBy(...args: string[]): Promise<unknown[]> {
  const output = await outputOf(...args);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

async function outputOf(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, 'clients/cli/src/main.ts'), ...args], {
    env: { ...machineEnv(), HINDSIGHT_URL: hindsight.url, HINDSIGHT_API_KEY: apiKey },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  expect(await new Promise((done) => child.once('close', done))).toBe(0);
  return output;
}

describe('orders.list() and orders.get()', () => {
  it('return the orders through the gateway, newest first, page after page', async () => {
    const client = createClient({ apiKey, url: hindsight.url });
    const listed: Order[] = [];
    for await (const order of client.orders.list({ status: 'open', pageSize: 7 })) listed.push(order);
    expect(listed).toHaveLength(ORDERS);
    const times = listed.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual(times.toSorted().reverse());
    const [newest] = listed as [Order];
    expect(await client.orders.get(newest.orderHash)).toEqual(newest);
    const own: Order[] = [];
    for await (const order of client.orders.list({ swapper: newest.order.swapper, type: 'Dutch_V2' }))
      own.push(order);
    expect(own.map(({ orderHash }) => orderHash)).toContain(newest.orderHash);
    await expect(client.orders.get(`0x${'00'.repeat(32)}`)).rejects.toMatchObject({ code: 'unknown_order' });
    expect(await printedBy('orders', 'list', '--limit', '2', '--json')).toEqual(listed.slice(0, 2));
    expect(JSON.parse(await outputOf('orders', 'get', newest.orderHash, '--json'))).toEqual(newest);
  });

  it('cost a unit per started hundred', async () => {
    const url = `${hindsight.url}/v1/eth-mainnet/orders`;
    for (const path of ['', '?limit=500']) {
      const answer = await fetch(url + path, { headers: { 'x-api-key': apiKey } });
      expect([answer.status, answer.headers.get('x-units')]).toEqual([200, '1']);
    }
  });
});

describe('orders.stream() with ends', () => {
  it('has each end behind its order, as `hindsight orders tail --ends` prints it', async () => {
    // Behind all deadlines, and final.
    await mine(chain.url, { timestamp: Math.floor(Date.now() / 1_000) + 10 * 86_400 });
    await ask(chain.url, 'anvil_mine', '0x50', '0xc');
    const client = createClient({ apiKey, url: hindsight.url });
    const received = new Map<string, string>();
    const ended: OrderEndEvent[] = [];
    for await (const event of client.orders.stream({ lastEventId: '0', ends: true })) {
      if (event.type === 'order-received') received.set(event.order.orderHash, event.order.network);
      else ended.push(event);
      if (ended.length === ORDERS) break;
    }
    expect(received.size).toBe(ORDERS);
    expect(new Set(ended.map(({ order }) => order.orderHash))).toEqual(new Set(received.keys()));
    for (const { type, order } of ended) {
      expect(isDescribed(order)).toBe(true);
      expect([type, order.network, order.finalized]).toEqual(['order-expired', 'eth-mainnet', true]);
    }
    const [last] = ended.slice(-1);
    const before = ended.at(-2)!.id;
    const printed = await printedBy('orders', 'tail', '--ends', '--after', before, '--limit', '1', '--json');
    expect(printed).toEqual([last]);
    // Unless they are asked for, there are only orders.
    const limit = String(ORDERS);
    const orders = await printedBy('orders', 'tail', '--after', '0', '--limit', limit, '--json');
    expect((orders as OrderEvent[]).map(({ type }) => type)).toEqual(
      Array.from({ length: ORDERS }, () => 'order-received'),
    );
  });
});
