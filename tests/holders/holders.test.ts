/** The list of holders, on an index of the dev chain and the balance service, against the ledger of every transfer. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { toChecksum } from '@hindsight/chain/address.ts';
import { startAlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { callAt } from '@hindsight/devchain/client.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { rounds } from '@hindsight/kernel/test/support/rounds.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { holdersAt } from '../support/ledger-holders.ts';
import { HolderWorld } from './support/holder-world.ts';

const { ledger } = buildPlan();
const PATH = '/v1/eth-mainnet/token/holders';
const { usdc, uni, items, kitties } = TOKENS;

const world = forAllTests(HolderWorld.onDevchain, 'close');
const altered = forAllTests(() => startAlteredNode(world.nodeUrl), 'close');

/** One index of all tokens for the tests that only read. The others' services end with their test: each follows the chain. */
let app: HttpServer;
beforeAll(async () => {
  app = await world.start();
});
afterEach(() => world.endAllBut(app));

type Line = Readonly<Record<string, unknown>>;

async function ask(
  app: HttpServer,
  query: Readonly<Record<string, string>>,
  accept = 'application/x-ndjson',
) {
  const url = `${PATH}?${new URLSearchParams(query).toString()}`;
  const { statusCode, payload, headers } = await app.inject({ method: 'GET', url, headers: { accept } });
  return { status: statusCode, text: payload, headers };
}

async function linesOf(app: HttpServer, query: Readonly<Record<string, string>>): Promise<readonly Line[]> {
  const { status, text } = await ask(app, query);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

async function jsonOf(app: HttpServer, query: Readonly<Record<string, string>>): Promise<Line> {
  const { status, text } = await ask(app, query);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as Line;
}

const held = (lines: readonly Line[]): Record<string, string> =>
  Object.fromEntries(
    lines
      .filter(({ record }) => record === 'holder')
      .map((line) => [line.holder as string, line.balance as string] as const),
  );

const ITEMS = new Set(ledger.entries.flatMap((entry) => (entry.kind === 'item' ? [entry.id] : [])));
const ITEM_IDS = [...ITEMS].slice(0, 3).map(String);
const HEIGHTS = rounds(10);

/** Balances by the ledger, in the order of addresses. */
function truth(token: string, height: number, id?: bigint): Record<string, string> {
  const amounts = holdersAt(ledger, token, height, id);
  return Object.fromEntries(amounts.map(([holder, amount]) => [holder, amount.toString()]));
}
const itemTruth = (id: string, height: number) => truth(items.address, height, BigInt(id));

const problem = async (app: HttpServer, query: Readonly<Record<string, string>>) => {
  const { status, text, headers } = await ask(app, query);
  const { code, message } = JSON.parse(text) as { readonly code: string; readonly message: string };
  return { status, code, message, retryAfter: headers['retry-after'] };
};

const LISTED = Object.values(TOKENS).filter(({ standard }) => standard !== 'erc1155');

describe('GET token/holders', () => {
  it.each(LISTED.map(({ symbol, address, since }) => [symbol, address, since] as const))(
    'has the holders of %s that the ledger has, with their balances, at any height',
    async (_symbol, token, since) => {
      for (let i = 0; i <= HEIGHTS; i++) {
        const height = since + Math.floor(((CHAIN.head - since) * i) / HEIGHTS);
        const lines = await linesOf(app, { token_address: token, block_height: String(height) });
        expect([height, held(lines)]).toEqual([height, truth(token, height)]);
        expect(Object.keys(held(lines))).toEqual(Object.keys(truth(token, height)));
        expect(lines[0]).toMatchObject({ record: 'facts', checked_at_block: height, token_address: token });
        expect(lines[0]).toMatchObject({ index: { from_block: CHAIN.genesis, complete: true } });
        expect(lines.at(-1)).toMatchObject({ record: 'end', errors: 0, next: null });
      }
    },
  );

  it('has a sum that is the total supply, where the token keeps one', async () => {
    const end = (await linesOf(app, { token_address: usdc.address, block_height: '18000000' })).at(-1)!;
    expect(end.sum).toBe(end.total_supply);
    expect(Number(end.sum)).toBeGreaterThan(0);
  });

  it('goes on after an address, in pages that are the whole list together', async () => {
    const { block_hash: hash } = (await linesOf(app, { token_address: usdc.address }))[0]!;
    const query = { token_address: usdc.address, block_hash: hash as string, limit: '3' };
    let [after, all, units]: [string | null, Record<string, string>, number] = [null, {}, 0];
    do {
      const lines = await linesOf(app, after === null ? query : { ...query, after });
      const end = lines.at(-1)!;
      expect(end.read).toBeLessThanOrEqual(3);
      all = { ...all, ...held(lines) };
      units += Number(end.units);
      after = end.next as string | null;
    } while (after !== null);
    expect(all).toEqual(truth(usdc.address, CHAIN.head));
    expect(units).toBeGreaterThan(5);
  });

  it('names the next part in its head, at the same block however it was asked for', async () => {
    const first = { token_address: usdc.address, block_height: String(CHAIN.head), limit: '3' };
    let url: string | undefined = `${PATH}?${new URLSearchParams(first).toString()}`;
    let all: Record<string, string> = {};
    while (url !== undefined) {
      const { payload, headers }: { payload: string; headers: Record<string, unknown> } = await app.inject({
        method: 'GET',
        url,
      });
      const lines = payload
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      all = { ...all, ...held(lines) };
      url = /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1];
      const next = new URL(url ?? '', 'http://localhost').searchParams;
      expect(next.get('after')).toBe(lines.at(-1)!.next);
      if (url !== undefined) expect(next.get('block_hash')).toBe(lines[0]!.block_hash);
      expect([next.get('block_height'), next.get('date')]).toEqual([null, null]);
    }
    expect(all).toEqual(truth(usdc.address, CHAIN.head));
  });

  it('is CSV where that is wanted', async () => {
    const query = { token_address: uni.address, block_height: '18000000' };
    const { text, headers } = await ask(app, query, 'text/csv');
    expect(headers['content-type']).toMatch(/^text\/csv/);
    const [facts, head, ...rows] = text.trimEnd().split('\n');
    expect(JSON.parse(facts!.slice(2))).toMatchObject({ record: 'facts' });
    expect(head).toBe('holder,balance,error');
    expect(JSON.parse(rows.pop()!.slice(2))).toMatchObject({ record: 'end' });
    expect(Object.fromEntries(rows.map((row) => row.split(',').slice(0, 2)))).toEqual(
      truth(uni.address, 18_000_000),
    );
  });

  it('costs a unit for each 100 addresses that are started', async () => {
    const { headers } = await ask(app, { token_address: uni.address });
    expect(headers['x-hindsight-units']).toBe('1');
  });

  it.each(LISTED.map(({ symbol, address, since }) => [symbol, address, since] as const))(
    'has the largest holders of %s that the ledger has, with their share of the supply',
    async (_symbol, token, since) => {
      for (const height of [since, Math.floor((since + CHAIN.head) / 2), CHAIN.head]) {
        const query = { token_address: token, block_height: String(height), order: 'balance' };
        const whole = await jsonOf(app, { ...query, limit: '1000' });
        const all = Object.entries(truth(token, height)).map(([holder, balance]) => ({ holder, balance }));
        all.sort((one, other) => Number(BigInt(other.balance) - BigInt(one.balance)));
        const found = whole.holders as readonly {
          holder: string;
          balance: string;
          share_ppm: number | null;
        }[];
        expect(found.map(({ holder, balance }) => ({ holder, balance }))).toEqual(all);
        expect(whole).toMatchObject({ holder_count: all.length, errors: 0, checked_at_block: height });
        const supply = BigInt((whole.total_supply as string | null) ?? 0);
        for (const { balance, share_ppm: share } of found)
          expect(share).toBe(supply === 0n ? null : Number((BigInt(balance) * 1_000_000n) / supply));
        expect((await jsonOf(app, { ...query, limit: '2' })).holders).toEqual(found.slice(0, 2));
      }
    },
  );

  it('reads the largest holders of a block once', async () => {
    const fresh = await world.start();
    const asked: string[] = [];
    world.spy = (path) => void asked.push(path);
    const query = { token_address: usdc.address, block_height: '18000000', order: 'balance' };
    const answers = await Promise.all(
      [1, 2, 3].map((limit) => jsonOf(fresh, { ...query, limit: String(limit) })),
    );
    world.spy = () => undefined;
    expect(answers.map(({ holders }) => (holders as object[]).length)).toEqual([1, 2, 3]);
    expect(asked.filter((path) => path.includes('snapshot'))).toHaveLength(1);
    const { headers } = await ask(fresh, query);
    expect(headers['x-hindsight-units']).toBe('6');
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  it('refuses what does not go with the order of balances', async () => {
    const query = { token_address: usdc.address, order: 'balance' };
    expect(await problem(app, { ...query, limit: '1001' })).toMatchObject({ code: 'invalid_parameter' });
    expect(await problem(app, { ...query, after: HOLDERS.alice })).toMatchObject({
      code: 'conflicting_parameters',
    });
    expect(await problem(app, { ...query, order: 'size' })).toMatchObject({ code: 'invalid_parameter' });
  });

  it.each(ITEM_IDS)('has who held id %s of an ERC-1155 at any height, as the ledger has it', async (id) => {
    for (let i = 0; i <= HEIGHTS; i++) {
      const height = items.since + Math.floor(((CHAIN.head - items.since) * i) / HEIGHTS);
      const query = { token_address: items.address, block_height: String(height), token_id: id };
      const lines = await linesOf(app, query);
      expect([height, held(lines)]).toEqual([height, itemTruth(id, height)]);
      expect(lines[0]).toMatchObject({ token_id: id, token_type: 'erc1155' });
      expect(lines.at(-1)).toMatchObject({ errors: 0, total_supply: null });
      const largest = await jsonOf(app, { ...query, order: 'balance' });
      expect(largest.holder_count).toBe(Object.keys(itemTruth(id, height)).length);
    }
  });

  it('has the owner of an id of an ERC-721, then', async () => {
    const [token, id] = [TOKENS.bayc.address, 100n];
    for (const height of [0, 1, 2, 3, 4].map((i) => CHAIN.head - 60 * i)) {
      const data = `0x6352211e${id.toString(16).padStart(64, '0')}`;
      const word = await callAt(world.nodeUrl, token, data, height);
      const query = { token_address: token, block_height: String(height), token_id: String(id) };
      expect(held(await linesOf(app, query))).toEqual({ [toChecksum(`0x${word.slice(-40)}`)]: '1' });
      const largest = await jsonOf(app, { ...query, order: 'balance' });
      expect(largest).toMatchObject({ holder_count: 1, sum: '1', token_type: 'erc721' });
    }
  });

  it('refuses an id of a token without ids, and an ERC-1155 without', async () => {
    expect(await problem(app, { token_address: usdc.address, token_id: '1' })).toMatchObject({
      status: 400,
      code: 'wrong_token_standard',
      message: expect.stringMatching(/^token_id: /),
    });
    expect(await problem(app, { token_address: items.address })).toMatchObject({
      status: 400,
      message: expect.stringContaining('expected token_id'),
    });
  });

  it('says of an ERC-1155 what is missing, whichever question about it is answered first', async () => {
    for (const last of ['snapshot', 'supply']) {
      const answered = Promise.withResolvers<void>();
      world.spy = (path) => path.includes(last) && answered.promise;
      const message = expect.stringContaining('expected token_id');
      expect(await problem(app, { token_address: items.address })).toMatchObject({ message });
      answered.resolve();
    }
    world.spy = () => undefined;
  });

  it('refuses a token that is not indexed, and says how it can be', async () => {
    const own = await world.start({ tracks: [uni.address.toLowerCase()] });
    expect(held(await linesOf(own, { token_address: uni.address }))).toEqual(truth(uni.address, CHAIN.head));
    expect(await problem(own, { token_address: usdc.address })).toMatchObject({
      status: 409,
      code: 'not_indexed',
      message: expect.stringContaining('INDEX_TOKENS'),
    });
  });

  it('refuses a block before the index begins, and says that a later list may lack holders', async () => {
    const from = usdc.since + 50;
    const own = await world.start({ from });
    expect(await problem(own, { token_address: usdc.address, block_height: String(from - 1) })).toMatchObject(
      {
        status: 409,
        message: expect.stringContaining(`from block ${from} on`),
      },
    );
    const [facts] = await linesOf(own, { token_address: usdc.address, block_height: String(from + 50) });
    expect(facts).toMatchObject({ index: { from_block: from, complete: false } });
  });

  it('refuses what is no such token, and a block that is not', async () => {
    const at = (token: string, query = {}) => problem(app, { token_address: token, ...query });
    expect(await at(items.address)).toMatchObject({ status: 400, code: 'wrong_token_standard' });
    expect(await at(HOLDERS.alice)).toMatchObject({ status: 404, code: 'no_contract' });
    expect(await at(usdc.address, { block_height: '99999999' })).toMatchObject({ code: 'block_above_head' });
    expect(await at(usdc.address, { block_height: '18000000', date: '2023-08-26' })).toMatchObject({
      status: 400,
      code: 'conflicting_parameters',
    });
    for (const limit of ['0', '10001', '', '-1', '1e3', '1.5'])
      expect(await at(usdc.address, { limit })).toMatchObject({ status: 400, code: 'invalid_parameter' });
    expect(await at('0x1234')).toMatchObject({ status: 400 });
    expect(await at(usdc.address, { after: 'alice.eth' })).toMatchObject({ status: 400 });
  });

  it('has a token whose events have no topics but their own', async () => {
    const lines = await linesOf(app, { token_address: kitties.address });
    expect(held(lines)).toEqual(truth(kitties.address, CHAIN.head));
    expect(Object.keys(held(lines)).length).toBeGreaterThan(0);
  });

  it('never lists without the newest blocks: 503 where the nodes do not give their logs', async () => {
    const own = await world.start({ nodeUrl: altered.url });
    const finalized = { token_address: usdc.address, block_height: String(CHAIN.head - 100) };
    await linesOf(own, finalized);
    altered.alter((method, result) => (method === 'eth_getLogs' ? new Error('too busy') : result));
    try {
      expect(await problem(own, { token_address: usdc.address })).toMatchObject({
        status: 503,
        code: 'index_behind',
        retryAfter: '2',
      });
      expect(held(await linesOf(own, finalized))).toEqual(truth(usdc.address, CHAIN.head - 100));
    } finally {
      altered.alter((_method, result) => result);
    }
  });

  it('is a 503 where the index has no block yet, and where the balance service is unavailable', async () => {
    altered.alter((method, result) => (method === 'eth_getLogs' ? new Error('too busy') : result));
    try {
      const waiting = await world.start({ nodeUrl: altered.url, lazily: false });
      expect(await problem(waiting, { token_address: usdc.address })).toMatchObject({
        status: 503,
        code: 'index_behind',
      });
    } finally {
      altered.alter((_method, result) => result);
    }
    const alone = await world.start({ balanceUrl: 'http://127.0.0.1:9' });
    expect(await problem(alone, { token_address: usdc.address })).toMatchObject({
      status: 503,
      code: 'service_unavailable',
    });
  });

  it('asks once for all parts of a list what the token was where the index begins', async () => {
    const own = await world.start({ from: usdc.since + 50 });
    const asked: string[] = [];
    world.spy = (path) => void asked.push(path);
    const query = { token_address: usdc.address, block_height: '18000000', limit: '3' };
    for (const after of [HOLDERS.alice, HOLDERS.bob]) await linesOf(own, { ...query, after });
    world.spy = () => undefined;
    expect(asked.filter((path) => path.includes(`block_height=${usdc.since + 49}`))).toHaveLength(1);
  });

  it('adds the earlier blocks where INDEX_FROM was lowered, and answers as before until then', async () => {
    const dataDir = world.freshFolder();
    const from = usdc.since + 50;
    const query = { token_address: usdc.address, block_height: '18000000' };
    await linesOf(await world.start({ dataDir, from }), query);
    await world.endLast();
    // Twice, and over a restart in between.
    for (const lower of [from - 20, CHAIN.genesis]) {
      const lowered = await world.start({ dataDir, from: lower });
      const begins = async (): Promise<unknown> =>
        ((await linesOf(lowered, query))[0]!.index as Line).from_block;
      await until('the earlier blocks are in', async () => (await begins()) === lower);
      await world.endLast();
    }
    const again = await world.start({ dataDir, from: from + 10 });
    const lines = await linesOf(again, query);
    expect(lines[0]).toMatchObject({ index: { from_block: CHAIN.genesis, complete: true } });
    expect(lines.slice(1)).toEqual((await linesOf(app, query)).slice(1));
  });

  it('has no event from before the first block that the network is answered from', async () => {
    const firstBlock = usdc.since + 50;
    const own = await world.start({ from: CHAIN.genesis, firstBlock });
    const [facts] = await linesOf(own, { token_address: usdc.address });
    expect(facts).toMatchObject({ index: { from_block: firstBlock, complete: false } });
  });

  it('is a 503 where the index is of another chain, whose holders may be others', async () => {
    const own = await world.start({ indexedHash: `0x${'ab'.repeat(32)}`, lazily: false });
    expect(await problem(own, { token_address: usdc.address })).toMatchObject({
      status: 503,
      code: 'index_behind',
    });
  });
});
