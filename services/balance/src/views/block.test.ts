import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { readAllHeaders, type Headers } from '@hindsight/chain/test/support/all-headers.ts';
import { startNodeProxy, type NodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

let devchain: Devchain;
let proxy: NodeProxy;
let balance: RunningBalance;
let headers: Headers;
const { ledger } = buildPlan();
const { alice, market } = HOLDERS;
const MILESTONE = 18_000_000;
const UNKNOWN = `0x${'ab'.repeat(32)}`;

beforeAll(async () => {
  devchain = await sharedDevchain(process.env);
  proxy = await startNodeProxy(devchain.url);
  headers = await readAllHeaders(devchain.url);
  balance = await runBalance(proxy.url);
});

afterAll(async () => {
  await balance.stop();
  await proxy.close();
  await devchain.stop();
});

const ask = (endpoint: string, query: Record<string, string>): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/${endpoint}?${new URLSearchParams(query).toString()}`);
const hashAt = (height: number): string => headers.get(height)!.hash;

/** The record as the node's own header says. */
function recordAt(height: number): Record<string, unknown> {
  const { hash, timestamp } = headers.get(height)!;
  return {
    network_name: 'eth-mainnet',
    chain_id: 1,
    block_number: height,
    block_hash: hash,
    parent_hash: hashAt(height - 1),
    date: new Date(timestamp * 1_000).toISOString(),
    finalized: height <= CHAIN.head - 64,
  };
}

describe('GET block', () => {
  it.each([
    ['a height', { block_height: String(MILESTONE) }, MILESTONE],
    ['a date', { date: '2023-08-26T16:21:34Z' }, MILESTONE - 1],
    ['nothing, as the latest block', {}, CHAIN.head],
  ])('takes %s', async (_what, query, height) => {
    const { status, body } = await ask('block', query);
    expect([status, body]).toEqual([200, recordAt(height)]);
  });

  it('takes a hash in any case', async () => {
    const hash = hashAt(MILESTONE - 20);
    for (const block_hash of [hash, `0x${hash.slice(2).toUpperCase()}`]) {
      expect((await ask('block', { block_hash })).body).toEqual(recordAt(MILESTONE - 20));
    }
  });

  it('is immutable at a final block, and asks the node once', async () => {
    const query = { block_height: String(MILESTONE - 40) };
    const first = await ask('block', query);
    expect(first.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const before = proxy.requests;
    expect((await ask('block', { block_hash: hashAt(MILESTONE - 40) })).body).toEqual(first.body);
    expect((await ask('block', query)).body).toEqual(first.body);
    expect(proxy.requests).toBe(before);
    expect((await ask('block', {})).headers.get('cache-control')).toBe('private, no-cache');
  });

  it.each([
    [
      'a block above the head',
      { block_height: '99999999' },
      404,
      /^block_height: block 99999999 does not exist yet/,
    ],
    ['an unknown parameter', { holder: alice }, 400, /^unknown parameter holder/],
  ])('refuses %s', async (_what, query, status, message) => {
    const { body } = await ask('block', query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});

const TOKEN = { token_address: TOKENS.uni.address };
const QUESTIONS: readonly (readonly [endpoint: string, query: Record<string, string>])[] = [
  ['block', {}],
  ['balance/native', { holder: alice }],
  ['balance/single', { ...TOKEN, holder: 'alice.eth' }],
  ['allowance/single', { ...TOKEN, owner: alice, spender: market }],
];

describe('a block hash', () => {
  it.each(QUESTIONS)('means to %s what its height does', async (endpoint, query) => {
    const height = LANDMARKS.aliceApprovesAgain + 1;
    const byHash = await ask(endpoint, { ...query, block_hash: hashAt(height) });
    expect(byHash.status).toBe(200);
    const byHeight = await ask(endpoint, { ...query, block_height: String(height) });
    expect(byHash.body).toEqual(byHeight.body);
  });

  it('of a block that is not final yet is one too', async () => {
    const { body } = await ask('balance/native', { holder: alice, block_hash: hashAt(CHAIN.head - 1) });
    expect(body).toMatchObject({
      checked_at_block: CHAIN.head - 1,
      balance: ledger.nativeAt(alice, CHAIN.head - 1).toString(),
      finalized: false,
    });
  });

  it.each(QUESTIONS)('that no block has is a 404 of %s', async (endpoint, query) => {
    const { body } = await ask(endpoint, { ...query, block_hash: UNKNOWN });
    expect(body).toMatchObject({
      statusCode: 404,
      message: `block_hash: no block of the canonical chain has the hash ${UNKNOWN}`,
    });
  });

  it.each([
    ['', /^block_hash: it is empty; expected a block hash: 0x and 64 hexadecimal digits$/],
    ['0x1234', /^block_hash: expected a block hash/],
    [UNKNOWN.slice(2), /^block_hash: expected a block hash/],
    [`${UNKNOWN}0`, /^block_hash: expected a block hash/],
  ])('%j is malformed', async (block_hash, message) => {
    const { body } = await ask('block', { block_hash });
    expect(body).toMatchObject({ statusCode: 400, message: expect.stringMatching(message) });
  });

  it.each([
    [{ block_height: '1' }, 'block_hash: given together with block_height; expected one of them'],
    [{ date: '2023-08-26' }, 'block_hash: given together with date; expected one of them'],
    [
      { date: '2023-08-26', block_height: '1' },
      'block_hash: given together with block_height and date; expected one of them',
    ],
  ])('is refused beside %j', async (query, message) => {
    for (const [endpoint, own] of QUESTIONS) {
      const { body } = await ask(endpoint, { ...own, ...query, block_hash: UNKNOWN });
      expect(body).toMatchObject({ statusCode: 400, message });
    }
  });
});
