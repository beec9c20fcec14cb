import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { startHostileNode, type HostileNode } from '@hindsight/chain/test/support/hostile-node.ts';
import { startNodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

type Row = Record<string, unknown>;
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Row[] & Row;
}

const PATH = '/v1/eth-mainnet/balance/batch';
const { ledger } = buildPlan();
const { alice, bob, treasury } = HOLDERS;
const USDC = TOKENS.usdc.address;
const NO_HEIGHT = /^block_height: expected a block height: a whole decimal number from 0$/;

let devchain: Devchain;
let node: HostileNode;
let balance: RunningBalance;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  node = await startHostileNode(devchain.url);
  balance = await runBalance(node.url);
});
afterAll(async () => {
  await balance.stop();
  await node.close();
  await devchain.stop();
});

async function send(body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(balance.url + PATH, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}
const post = (rows: unknown): Promise<Answer> => send(JSON.stringify(rows));

const single = async (row: Row): Promise<Row> => {
  const { token_address: token, ...rest } = row;
  const query = token === 'native' ? rest : { token_address: token, ...rest };
  const text = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const path = `/v1/eth-mainnet/balance/${token === 'native' ? 'native' : 'single'}`;
  const { status, body } = await balance.ask(`${path}?${new URLSearchParams(text).toString()}`);
  if (status === 200) return body;
  // Fields of the answer as a whole; a row has the rest.
  const { request_id: _, docs: __, ...error } = body;
  return { error };
};

describe('POST balance/batch', () => {
  it('answers each row as the single endpoints do, errors included, in the order of the rows', async () => {
    const hash = (await single({ token_address: 'native', holder: alice, block_height: '18000000' }))
      .block_hash;
    const rows: Row[] = [
      { token_address: USDC, holder: alice, block_height: 18_000_000 },
      { token_address: 'native', holder: alice, block_height: '18000000' },
      { token_address: USDC.toLowerCase(), holder: 'treasury.eth', date: '2023-08-26T16:21:35Z' },
      { token_address: TOKENS.bayc.address, holder: bob },
      { token_address: TOKENS.steth.address, holder: alice, block_hash: hash },
      { token_address: TOKENS.items.address, holder: alice },
      { token_address: TOKENS.late.address, holder: alice, block_height: TOKENS.late.since - 1 },
      { token_address: USDC, holder: 'unregistered.eth', block_height: 18_000_000 },
      { token_address: USDC, holder: 'a..eth' },
      { token_address: alice, holder: alice },
      { token_address: USDC, holder: alice, block_height: 99_999_999 },
      { token_address: USDC, holder: alice, block_hash: `0x${'12'.repeat(32)}` },
      { token_address: USDC, holder: alice, block_height: 18_000_000, date: '2023-08-26' },
      { token_address: USDC, holder: alice, block_height: 18_000_000 },
    ];
    const { status, headers, body } = await post(rows);
    expect([status, headers.get('x-hindsight-units')]).toEqual([200, '1']);
    expect(body).toEqual(await Promise.all(rows.map(single)));
  });

  it.each([
    ['a string', 'x', /^row: expected an object/],
    ['null', null, /^row: expected an object/],
    ['an array', [], /^row: expected an object/],
    ['no holder', { token_address: USDC }, /^holder is required$/],
    ['no token', { holder: alice }, /^token_address is required$/],
    ['a malformed token', { token_address: '0x12', holder: alice }, /^token_address: .*, or native$/],
    ['a malformed holder', { token_address: USDC, holder: 'alice' }, /^holder: .*or an ENS name/],
    ['a holder that is a number', { token_address: USDC, holder: 1 }, /^holder: /],
    ['a height below zero', { token_address: USDC, holder: alice, block_height: -1 }, NO_HEIGHT],
    ['a height with a fraction', { token_address: USDC, holder: alice, block_height: 1.5 }, NO_HEIGHT],
    [
      'a height beyond all',
      { token_address: USDC, holder: alice, block_height: 2 ** 53 },
      /^block_height: it is larger/,
    ],
    ['a typo', { token_address: USDC, holder: alice, blockHeight: 1 }, /did you mean block_height/],
  ])('refuses a row that is, or has, %s, and answers the others', async (_what, row, message) => {
    const good = { token_address: USDC, holder: alice, block_height: 18_000_000 };
    const { status, body } = await post([good, row, good]);
    expect(status).toBe(200);
    const right = { balance: ledger.balanceAt(USDC, alice, 18_000_000).toString() };
    expect(body).toMatchObject([right, { error: { statusCode: 400, error: 'Bad Request' } }, right]);
    expect((body[1]!.error as Row).message).toEqual(expect.stringMatching(message));
  });

  it.each<[string, string, Record<string, string>, number, RegExp]>([
    ['an object', '{}', {}, 400, /^body: expected a JSON array of 1 to 1000 rows$/],
    ['no rows', '[]', {}, 400, /^body: expected a JSON array/],
    ['1,001 rows', JSON.stringify(Array(1_001).fill({})), {}, 400, /^body: expected a JSON array/],
    ['broken JSON', '[{]', {}, 400, /^body: it is not valid JSON$/],
    ['nothing', '', {}, 400, /^body: it is empty; expected a JSON array/],
    ['plain text', '[]', { 'content-type': 'text/plain' }, 415, /^content-type: expected application\/json$/],
    ['compressed bytes', '[]', { 'content-encoding': 'gzip' }, 415, /^content-encoding: expected none/],
    ['more than 1 MiB', `["${'x'.repeat(1024 * 1024)}"]`, {}, 413, /^body: it is larger than 1048576 bytes$/],
  ])('refuses a body of %s', async (_what, body, headers, status, message) => {
    const answer = await send(body, headers);
    expect([answer.status, answer.body.statusCode]).toEqual([status, status]);
    expect(answer.body.message).toEqual(expect.stringMatching(message));
  });

  it('refuses a body without its length', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      const sent = request(balance.url + PATH, { method: 'POST', headers }, (response) => {
        resolve(response.resume().statusCode);
      });
      sent.on('error', reject).end('[]');
    });
    expect(status).toBe(411);
  });

  it('takes a request with neither a length nor chunks for one without a body', async () => {
    const { status, message } = await new Promise<Row>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = request(balance.url + PATH, { method: 'POST', headers }, (response) => {
        json(response).then(
          (body) => resolve({ status: response.statusCode, message: (body as Row).message }),
          reject,
        );
      });
      sent.removeHeader('content-length');
      sent.removeHeader('transfer-encoding');
      sent.on('error', reject).end();
    });
    expect([status, message]).toEqual([400, 'body: it is empty; expected a JSON array of 1 to 1000 rows']);
  });

  it('costs a unit for each 100 rows that are started', async () => {
    const row = { token_address: 'native', holder: alice, block_height: 18_000_000 };
    const units = async (rows: number): Promise<string | null> =>
      (await post(Array(rows).fill(row))).headers.get('x-hindsight-units');
    expect([await units(1), await units(100), await units(101), await units(1_000)]).toEqual([
      '1',
      '1',
      '2',
      '10',
    ]);
  });

  it('is true for 1,000 rows over many blocks and tokens, in few requests', async () => {
    const proxy = await startNodeProxy(devchain.url);
    const fresh = await runBalance(proxy.url);
    const tokens = [TOKENS.uni, TOKENS.usdt, TOKENS.steth, TOKENS.mkr, TOKENS.weth];
    const holders = Object.values(HOLDERS);
    const rows = Array.from({ length: 1_000 }, (_, i) => ({
      token_address: tokens[i % tokens.length]!.address,
      holder: holders[i % holders.length]!,
      block_height: LANDMARKS.slashing - (i % 20),
    }));
    try {
      const response = await fetch(fresh.url + PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(rows),
      });
      const body = (await response.json()) as Row[];
      expect(body.map((row) => row.balance)).toEqual(
        rows.map((row) => ledger.balanceAt(row.token_address, row.holder, row.block_height).toString()),
      );
      // For each of 20 blocks: it and a token, the other tokens, the balances.
      expect(proxy.requests).toBeLessThanOrEqual(70);
    } finally {
      await fresh.stop();
      await proxy.close();
    }
  });

  it('is about one latest block', async () => {
    const { body } = await post(
      [alice, bob, treasury].flatMap((holder) => [
        { token_address: 'native', holder },
        { token_address: USDC, holder },
      ]),
    );
    expect(new Set(body.map((row) => row.checked_at_block))).toEqual(new Set([CHAIN.head]));
  });

  it('answers in time what could be read, and the other rows with an error', async () => {
    const impatient = await runBalance(node.url, { deadlineMs: 500 });
    try {
      node.behave({ kind: 'hang' });
      const response = await fetch(impatient.url + PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([
          { token_address: USDC, holder: alice, block_height: 18_000_000 },
          { token_address: USDC, holder: 'nothing' },
        ]),
      });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject([
        { error: { statusCode: 504 } },
        { error: { statusCode: 400 } },
      ]);
      await until('the node is idle', () => node.underWay === 0);
    } finally {
      node.behave(undefined);
      await impatient.stop();
    }
  });

  it('asks nothing further once its client has left', async () => {
    node.behave({ kind: 'hang' });
    const client = new AbortController();
    const asked = fetch(balance.url + PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ token_address: USDC, holder: alice, block_height: CHAIN.head - 75 }]),
      signal: client.signal,
    });
    await until('the node is asked', () => node.underWay >= 1);
    client.abort();
    await expect(asked).rejects.toThrow();
    await until('the node is idle', () => node.underWay === 0);
    node.behave(undefined);
  });
});
