/** The orders of a project in the portal, as a running orders service has them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { connectService } from '@hindsight/http/http-service.ts';
import { runOrders, type RunningOrders } from '@hindsight/orders/test/support/run-orders.ts';
import type { Browser } from '@hindsight/portal/test/support/browser.ts';
import { signUp } from '@hindsight/portal/test/support/people.ts';
import { runPortal, type RunningPortal } from '@hindsight/portal/test/support/run-portal.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeOrders, type OrderToSend } from '../support/orders/signed-orders.ts';

const ON_A_PAGE = 50;
const [BEYOND, FOREIGN] = [3, 1];
const FILLER = '0x3333333333333333333333333333333333333333';
const TRANSACTION = `0x${'44'.repeat(32)}`;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-portal-orders-'));
const hashOf = ({ id }: OrderToSend): string => id.slice(id.indexOf(':') + 1);
const sent = makeOrders(ON_A_PAGE + BEYOND, 8_800);
const [foreign] = makeOrders(FOREIGN, 8_801) as [OrderToSend];
/** Newest first, as pages have them. */
const hashes = sent.map(hashOf).reverse();

type OrderState = Parameters<RunningOrders['settle']>[1];

let chain: Anvil;
let orders: RunningOrders;
let ordersUrl: string;
let service: ReturnType<typeof connectService>;
let portal: RunningPortal;
let ada: Browser;
let path: string;

beforeAll(async () => {
  chain = await startEmptyChain();
  orders = await runOrders(chain.url);
  ordersUrl = await orders.listen();
  service = connectService('orders', ordersUrl);
  portal = await runPortal({ dataDir: folder }, { orders: service });
  ({ browser: ada } = await signUp(portal));
  path = `${await projectOf(ada)}/orders`;
});
afterAll(async () => {
  await portal.stop();
  await service.close();
  await orders.stop();
  await chain.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function projectOf(browser: Browser): Promise<string> {
  return (await browser.get('/dashboard')).headers.get('location') ?? '';
}

async function post({ body }: OrderToSend, project: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-hindsight-project': project };
  const url = `${ordersUrl}/v1/eth-mainnet/orders/dex-webhook`;
  const answer = await fetch(url, { method: 'POST', headers, body });
  expect({ status: answer.status, text: await answer.text() }).toMatchObject({ status: 201 });
}

async function pageOf(address: string, status = 200): Promise<string> {
  const answer = await ada.get(address);
  const text = await answer.text();
  expect({ status: answer.status, address }).toEqual({ status, address });
  return text.replace(/\s+/g, ' ');
}

const shownOn = (page: string): string[] =>
  [...page.matchAll(/\/orders\/(0x[0-9a-f]{64})"/g)].map(([, hash]) => hash!);
const short = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`;

describe('the orders of a project', () => {
  it('are none at first: the page says how to post one', async () => {
    const page = await pageOf(path);
    for (const text of ['No orders yet', '/v1/eth-mainnet/orders/dex-webhook', 'npm run --silent order'])
      expect(page).toContain(text);
    expect(await pageOf(`${path}?status=filled`)).toContain('No filled orders.');
  });

  it('are listed on pages, newest first, each once, and none of others', async () => {
    const begun = Date.now();
    const id = decodeURIComponent(path.split('/')[3]!);
    for (const [i, order] of sent.entries()) {
      orders.setTime(begun + i * 10);
      await post(order, id);
    }
    await post(foreign, 'another');
    const first = await pageOf(path);
    expect(shownOn(first)).toEqual(hashes.slice(0, ON_A_PAGE));
    for (const text of [short(hashes[0]!), 'Dutch_V2', '0.3 to 0.2', '1000000000', 'Open'])
      expect(first).toContain(text);
    const older = /href="([^"]*cursor=[^"]*)"/.exec(first)![1]!.replaceAll('&amp;', '&');
    const second = await pageOf(older);
    expect(shownOn(second)).toEqual(hashes.slice(ON_A_PAGE));
    // Newer orders come to the first page only.
    expect([first.includes('data-live'), second.includes('data-live')]).toEqual([true, false]);
    expect((await ada.get(`${older}&status=open`)).status).toBe(400);
  });

  it('are shown with how they ended', async () => {
    const [filled, unsure, cancelled, expired] = hashes as [string, string, string, string];
    const block = { finalized: true, knownAt: 20, block: 19 } as const;
    const fill = {
      ...block,
      status: 'filled',
      filler: FILLER,
      transaction: TRANSACTION,
      blockHash: `0x${'55'.repeat(32)}`,
    } as const;
    const states: [string, OrderState][] = [
      [
        filled,
        {
          ...fill,
          amounts: {
            input: { token: FILLER, amount: '7' },
            outputs: [
              { token: `0x${'00'.repeat(20)}`, amount: '250000000000000000', recipient: FILLER },
              { token: FILLER, amount: '9' },
            ],
          },
        },
      ],
      [unsure, { ...fill, amounts: null, amountsReason: 'rule and transfers disagree' }],
      [cancelled, { ...block, status: 'cancelled', cause: 'sibling', sibling: filled }],
      [expired, { ...block, status: 'expired' }],
    ];
    for (const [hash, state] of states) expect(await orders.settle(`1:${hash}`, state)).toBe('changed');
    expect(shownOn(await pageOf(`${path}?status=filled`))).toEqual([filled, unsure]);
    expect(await pageOf(`${path}?status=cancelled`)).toContain('another order with its nonce was filled');
    expect(await pageOf(`${path}?status=expired`)).toContain('unfilled at block 19, later than its deadline');
    const one = await pageOf(`${path}/${filled}`);
    for (const text of ['Paid', '>0.25</span> ETH', '>9</span>', TRANSACTION, FILLER])
      expect(one).toContain(text);
    expect(await pageOf(`${path}/${unsure}`)).toContain('Unknown: rule and transfers disagree');
    expect(shownOn(await pageOf(`${path}/${cancelled}`))).toEqual([filled]);
  });

  it.each([
    ['?status=done', 400, 'expected one of open, filled'],
    ['?status=open&status=filled', 400, 'expected one of'],
    ['?cursor=<script>', 400, 'cursor'],
    ['?network=nowhere', 404, 'served: eth-mainnet'],
    ['/0x12', 400, 'expected an order’s hash'],
    [`/0x${'00'.repeat(32)}`, 404, 'is known here'],
  ])('%s is a %i that says why', async (query, status, text) => {
    expect(await pageOf(path + query, status)).toContain(text);
  });

  it('are for its owner alone', async () => {
    const { browser: bob } = await signUp(portal);
    for (const address of [path, `${path}/${hashes[0]}`]) expect((await bob.get(address)).status).toBe(404);
    expect(await (await bob.get(`${await projectOf(bob)}/orders`)).text()).toContain('No orders yet');
  });
});

it.each([
  ['does not know the service', false, 200, 'its operator has not set <code>ORDERS_URL</code>'],
  ['cannot reach it', true, 503, 'Orders cannot be read at the moment.'],
])('a portal that %s says so', async (_, knows, status, text) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-portal-orders-'));
  const away = connectService('orders', 'http://127.0.0.1:9');
  const alone = await runPortal({ dataDir }, knows ? { orders: away } : {});
  const { browser } = await signUp(alone);
  const page = await browser.get(`${await projectOf(browser)}/orders`);
  expect([page.status, await page.text()]).toEqual([status, expect.stringContaining(text)]);
  await alone.stop();
  await away.close();
  rmSync(dataDir, { recursive: true, force: true });
});
