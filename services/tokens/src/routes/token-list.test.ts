import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ETH_MAINNET } from '@hindsight/chain/networks.ts';
import { randomIds } from '@hindsight/kernel/ids.ts';
import { createLifecycle } from '@hindsight/kernel/lifecycle.ts';
import { createLogger } from '@hindsight/kernel/logger.ts';
import { createTelemetry } from '@hindsight/kernel/telemetry/telemetry.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, appendAll, rangeOf, tokensUpTo } from '../../test/adapters/index.fixtures.contract.ts';
import { createTokens, openTokenIndex } from '../service.ts';

const LIST = '/v1/eth-mainnet/token';
const logger = createLogger({ name: 'tokens', level: 'silent' });
const lifecycle = createLifecycle(logger);
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));

type App = ReturnType<typeof createTokens>;
let app: App;
let behindProxy: App;
/** Serves the list under the names of that many networks. */
let serveNetworks: (count: number) => App;

beforeAll(async () => {
  const index = await openTokenIndex(ETH_MAINNET, { dataDir: folder }, lifecycle);
  await appendAll(index, tokensUpTo(60), [200]);
  const deps = {
    lists: [{ network: ETH_MAINNET, list: index }],
    logger,
    lifecycle,
    ids: randomIds,
    telemetry: createTelemetry(),
  };
  app = createTokens(deps);
  behindProxy = createTokens({ ...deps, publicUrl: 'https://api.example.org/history/' });
  serveNetworks = (count) =>
    createTokens({
      ...deps,
      lists: Array.from({ length: count }, (_, i) => ({
        network: { ...ETH_MAINNET, name: `network-${i + 1}` },
        list: index,
      })),
    });
});
afterAll(async () => {
  await lifecycle.shutdown('the suite is over');
  rmSync(folder, { recursive: true });
});

async function get(
  path: string,
  headers: Record<string, string> = {},
  to: App = app,
): Promise<{ status: number; headers: Record<string, unknown>; body: Record<string, unknown> }> {
  const { statusCode, headers: received, payload } = await to.inject({ url: path, headers });
  return {
    status: statusCode,
    headers: received,
    body: JSON.parse(payload || '{}') as Record<string, unknown>,
  };
}

describe('GET token', () => {
  it('returns the first ten by default, with exactly the documented fields', async () => {
    const { status, body } = await get(LIST);
    expect(status).toBe(200);
    expect(body).toMatchObject({ network_name: 'eth-mainnet', chain_id: 1, page: 1, limit: 10, total: 60 });
    expect(body.previous).toBeNull();
    const tokens = body.tokens as object[];
    expect(tokens).toHaveLength(10);
    expect(Object.keys(tokens[0]!)).toEqual([
      'token_address',
      'block_height',
      'token_type',
      'name',
      'symbol',
    ]);
  });

  it.each([2, 3, 5, 9])('is answered where %s networks share the memory for pages', async (count) => {
    const { status, body } = await get(`/v1/network-${count}/token`, {}, serveNetworks(count));
    expect([status, body.network_name, body.total]).toEqual([200, `network-${count}`, 60]);
  });

  it('links to the host that the client used, keeping every filter and no key', async () => {
    const forwarded = { 'x-forwarded-host': 'data.example.net:8443', 'x-forwarded-proto': 'https' };
    const { body } = await get(`${LIST}s?limit=2&page=2&search=U&token_type=erc20`, {
      ...forwarded,
      'x-api-key': 'hs_secret',
    });
    const link = (page: number): string =>
      `https://data.example.net:8443/v1/eth-mainnet/tokens?page=${page}&limit=2&token_type=erc20&search=u`;
    expect(body).toMatchObject({ previous: link(1), next: link(3) });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('links to PUBLIC_URL if it is set, whatever the Host header says', async () => {
    const { body } = await get(`${LIST}?limit=50`, { host: 'inner:1' }, behindProxy);
    expect(body.next).toBe('https://api.example.org/history/v1/eth-mainnet/token?page=2&limit=50');
  });

  it('makes no link from an invalid host', async () => {
    const { body } = await get(LIST, { 'x-forwarded-host': 'evil.example/"><script>' });
    expect(body.next).toBe('http://localhost/v1/eth-mainnet/token?page=2&limit=10');
  });

  it('is empty past the end', async () => {
    const { status, body } = await get(`${LIST}?page=7`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total: 60,
      tokens: [],
      next: null,
      previous: expect.stringContaining('page=6'),
    });
  });

  it('finds one contract by its address, in any case', async () => {
    const { body } = await get(`${LIST}?search=${addressOf(3).toLowerCase()}`);
    expect(body).toMatchObject({ total: 1, tokens: [{ token_address: addressOf(3) }] });
    expect((await get(`${LIST}?search=${addressOf(3)}&page=2`)).body.tokens).toEqual([]);
    expect((await get(`${LIST}?search=${addressOf(99)}`)).body.total).toBe(0);
  });

  it('allows pages as large as the plan does', async () => {
    const size = (limit: number, plan?: string): ReturnType<typeof get> =>
      get(`${LIST}?limit=${limit}`, plan === undefined ? {} : { 'x-hindsight-plan': plan });
    expect((await size(100)).status).toBe(200);
    expect((await size(1000, 'starter')).status).toBe(200);
    const refused = await size(101, 'free');
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe(
      'limit: expected a page size: a whole number from 1 to 100 on the Free plan',
    );
    expect((await size(101, 'constructor')).status).toBe(400);
    expect((await size(1001, 'enterprise')).status).toBe(400);
  });

  it.each([
    ['page=0', 'page: expected'],
    ['page=', 'page: it is empty'],
    ['page=1.5', 'page: expected'],
    ['page=99999999999999', 'page: expected'],
    ['limit=0', 'limit: expected'],
    ['token_type=erc777', 'token_type: expected one of erc20, erc721, erc1155'],
    ['search=', 'search: it is empty'],
    ['search=%E2%80%AE%00', 'search: it is empty'],
    [`search=${'x'.repeat(41)}`, 'search: it is too long'],
    ['search=0xa0b86991c6218b36c1d19D4a2e9eb0ce3606eb48', 'search: its checksum'],
    ['page=1&page=2', 'page: given more than once'],
    ['token-type=erc20', 'unknown parameter token-type; did you mean token_type?'],
  ])('refuses ?%s', async (query, message) => {
    const { status, body } = await get(`${LIST}?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'Bad Request',
      statusCode: 400,
      message: expect.stringContaining(message),
    });
  });

  it('is answered 304 if the client already has it', async () => {
    const { headers } = await get(`${LIST}?page=2`);
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await get(`${LIST}?page=2`, { 'if-none-match': String(headers.etag) });
    expect(again.status).toBe(304);
    expect((await get(`${LIST}?page=3`, { 'if-none-match': String(headers.etag) })).status).toBe(200);
  });
});

describe('a page that was answered before', () => {
  it('is the same until the list changes, for each host and plan, and is refused as before', async () => {
    const dataDir = mkdtempSync(join(folder, 'changing-'));
    const index = await openTokenIndex(ETH_MAINNET, { dataDir }, lifecycle);
    const first = await appendAll(index, tokensUpTo(30), [105]);
    const deps = { lists: [{ network: ETH_MAINNET, list: index }], logger, lifecycle, ids: randomIds };
    const changing = createTokens({ ...deps, telemetry: createTelemetry() });
    const page = async (query: string, headers = {}) => get(`${LIST}${query}`, headers, changing);
    const [before, again] = [await page('?limit=5&page=2'), await page('?limit=5&page=2')];
    expect(before.body).toMatchObject({ total: 18, next: expect.stringMatching(/page=3/) });
    expect(again.body).toEqual(before.body);
    expect(again.headers.etag).toBe(before.headers.etag);
    const known = await page('?limit=5&page=2', { 'if-none-match': String(before.headers.etag) });
    expect(known.status).toBe(304);
    const elsewhere = await page('?limit=5&page=2', { 'x-forwarded-host': 'other.example' });
    expect(elsewhere.body.next).toBe('http://other.example/v1/eth-mainnet/token?page=3&limit=5');
    expect((await page('?limit=101', { 'x-hindsight-plan': 'growth' })).status).toBe(200);
    expect((await page('?limit=101')).status).toBe(400);
    await index.append(first, rangeOf(106, 200, tokensUpTo(30)));
    expect((await page('?limit=5&page=2')).body.total).toBe(30);
    const known2 = await page('?limit=5&page=2', { 'if-none-match': String(before.headers.etag) });
    expect(known2.status).toBe(200);
    expect((await page('?limit=5&page=2')).body.tokens).toEqual(before.body.tokens);
  });
});

describe('GET token/single', () => {
  it.each(['token', 'tokens'])('of /%s returns one token with its decimals', async (path) => {
    const { body } = await get(`/v1/eth-mainnet/${path}/single?token_address=${addressOf(0).toLowerCase()}`);
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      token_address: addressOf(0),
      block_height: 100,
      token_type: 'erc20',
      name: 'Uniswap',
      symbol: 'UNI',
      decimals: 0,
    });
  });

  it('is 404 for a contract that is not listed, and says how far the list reaches', async () => {
    const { status, body } = await get(`${LIST}/single?token_address=${addressOf(99)}`);
    expect(status).toBe(404);
    expect(body.message).toBe(`The token ${addressOf(99)} is not in the list (indexed to block 200)`);
  });
});

describe('a network that is known but not indexed here', () => {
  it.each(['token', 'tokens', `token/single?token_address=${addressOf(1)}`])('is a 404: %s', async (path) => {
    const { status, body } = await get(`/v1/base-mainnet/${path}`);
    expect([status, body.message]).toEqual([
      404,
      'The network base-mainnet is not served here; served: eth-mainnet',
    ]);
  });
});
