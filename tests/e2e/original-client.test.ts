/** A client that was written against the interface as it was published first works unchanged: its paths and its fields. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
let hindsight: SharedHindsight;
let key: string;

beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  key = await makeFastKey(hindsight.dataDir);
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { 'x-api-key': key, ...(init.headers as Record<string, string>) };
  const response = await fetch(`${hindsight.url}/v1${path}`, { ...init, headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const SINGLE = `/eth-mainnet/balance/single?token_address=${USDC}&holder=alice.eth`;
const record = {
  network_name: 'eth-mainnet',
  chain_id: 1,
  holder: '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8',
  token_address: USDC,
  token_name: 'USD Coin',
  token_symbol: 'USDC',
  token_type: 'erc20',
  checked_at_block: 18_000_000,
  checked_at_date: '2023-08-26T16:21:35.000Z',
  balance: '4550227500',
};

describe('a balance', () => {
  it('has the fields of the record, the name resolved', async () => {
    const { status, body } = await ask(`${SINGLE}&block_height=18000000`);
    expect({ status, body }).toMatchObject({ status: 200, body: record });
  });

  it('is the latest without a height', async () => {
    const { body } = await ask(SINGLE);
    expect(body.checked_at_block).toBeGreaterThan(18_000_000);
    expect(body.checked_at_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('is answered for a key in the query, too', async () => {
    const response = await fetch(`${hindsight.url}/v1${SINGLE}&block_height=18000000&projectId=${key}`);
    expect(await response.json()).toMatchObject(record);
  });
});

describe('the token list', () => {
  it.each(['token', 'tokens'])('at /%s is walked by next and previous', async (name) => {
    const seen: unknown[] = [];
    let next: string | null = `${hindsight.url}/v1/eth-mainnet/${name}?limit=4`;
    let pages = 0;
    while (next !== null) {
      const response: Response = await fetch(next, { headers: { 'x-api-key': key } });
      const body = (await response.json()) as Record<string, unknown> & { tokens: Record<string, unknown>[] };
      pages += 1;
      expect(body).toMatchObject({ network_name: 'eth-mainnet', chain_id: 1, page: pages, limit: 4 });
      expect(body.previous === null).toBe(pages === 1);
      for (const token of body.tokens) {
        expect(token).toMatchObject({
          token_address: expect.stringMatching(/^0x/),
          block_height: expect.any(Number),
        });
        expect(['token_type', 'name', 'symbol'].map((field) => typeof token[field])).toEqual(
          Array(3).fill('string'),
        );
        seen.push(token.token_address);
      }
      next = body.next as string | null;
    }
    expect(pages).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
  });
});

describe('an order', () => {
  it('is taken by the webhook', async () => {
    const document = JSON.parse(
      readFileSync(resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
    ) as {
      paths: Record<string, { post?: { requestBody: { content: Record<string, { example: object }> } } }>;
    };
    const { requestBody } = document.paths['/v1/{network}/orders/dex-webhook']!.post!;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(requestBody.content['application/json']!.example);
    expect((await ask('/eth-mainnet/orders/dex-webhook', { method: 'POST', headers, body })).status).toBe(
      201,
    );
  });
});

describe('an error', () => {
  it.each([
    ['no such path', '/eth-mainnet/nothing', {}, 404, 'Not Found'],
    [
      'an unregistered name',
      `/eth-mainnet/balance/single?token_address=${USDC}&holder=unregistered.eth`,
      {},
      404,
      'Not Found',
    ],
    ['no key', SINGLE, { headers: { 'x-api-key': '' } }, 401, 'Unauthorized'],
    ['another method', SINGLE, { method: 'POST' }, 405, 'Method Not Allowed'],
  ])('for %s has message, error and statusCode', async (_, path, init, statusCode, error) => {
    const { status, body } = await ask(path, init);
    expect({ status, body }).toMatchObject({
      status: statusCode,
      body: { message: expect.any(String), error, statusCode },
    });
  });
});
