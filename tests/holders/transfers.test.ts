/** The list of transfers, on an index of the dev chain, against all logs of the chain, read apart and decoded by ethers. */
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startAlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Interface, ZeroAddress } from 'ethers';
import { HolderWorld } from './support/holder-world.ts';

const PATH = '/v1/eth-mainnet/transfers';
const { usdc, uni, weth, items, kitties, bayc } = TOKENS;
const { alice, bob } = HOLDERS;

interface Row {
  readonly block: number;
  readonly log_index: number;
  readonly transaction: string;
  readonly token_address: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string | null;
  readonly token_id: string | null;
}

interface Page {
  readonly transfers: readonly Row[];
  readonly next: string | null;
  readonly units: number;
  readonly to_block: number;
  readonly index: { readonly complete: boolean; readonly tokens: readonly string[] | null };
}

const EVENTS = new Interface([
  'event Deposit(address indexed account, uint256 value)',
  'event Withdrawal(address indexed account, uint256 value)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
]);
const TRANSFERS: Readonly<Record<string, Interface>> = {
  erc20: new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']),
  erc721: new Interface(['event Transfer(address indexed from, address indexed to, uint256 indexed value)']),
  kitties: new Interface(['event Transfer(address from, address to, uint256 value)']),
};

const world = forAllTests(HolderWorld.onDevchain, 'close');
const altered = forAllTests(() => startAlteredNode(world.nodeUrl), 'close');
/** One index of all tokens for the tests that only read. The others' services end with their test: each follows the chain. */
let app: HttpServer;
/** Every transfer of the chain, the oldest first. */
let all: readonly Row[] = [];

interface NodeLog {
  readonly address: string;
  readonly topics: string[];
  readonly data: string;
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly transactionHash: string;
}

function decode(log: NodeLog): Row[] {
  const token = Object.values(TOKENS).find(({ address }) => address.toLowerCase() === log.address);
  if (token === undefined) return [];
  const kind = token.address === kitties.address ? 'kitties' : token.standard;
  const parsed = EVENTS.parseLog(log) ?? TRANSFERS[kind]?.parseLog(log);
  if (!parsed) return [];
  const { name, args } = parsed;
  const values = args as unknown as Record<'from' | 'to' | 'account', string> &
    Record<'id' | 'value', bigint> & { ids: bigint[]; values: bigint[] };
  const row = (from: string, to: string, amount: bigint | null, id: bigint | null): Row => ({
    block: Number(log.blockNumber),
    log_index: Number(log.logIndex),
    transaction: log.transactionHash,
    token_address: token.address,
    from,
    to,
    amount: amount?.toString() ?? null,
    token_id: id?.toString() ?? null,
  });
  if (name === 'Deposit') return [row(ZeroAddress, values.account, values.value, null)];
  if (name === 'Withdrawal') return [row(values.account, ZeroAddress, values.value, null)];
  if (name === 'TransferSingle') return [row(values.from, values.to, values.value, values.id)];
  if (name === 'TransferBatch')
    return [...args.getValue('ids')].map((id: bigint, i) =>
      row(values.from, values.to, (args.getValue('values') as bigint[])[i]!, id),
    );
  const isId = token.standard === 'erc721';
  return [row(values.from, values.to, isId ? null : values.value, isId ? values.value : null)];
}

async function ask(app: HttpServer, query: Readonly<Record<string, string>>, accept = 'application/json') {
  const url = `${PATH}?${new URLSearchParams(query).toString()}`;
  const { statusCode, payload, headers } = await app.inject({ method: 'GET', url, headers: { accept } });
  return { status: statusCode, text: payload, headers };
}

async function pageOf(app: HttpServer, query: Readonly<Record<string, string>>): Promise<Page> {
  const { status, text } = await ask(app, query);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as Page;
}

async function problem(app: HttpServer, query: Readonly<Record<string, string>>) {
  const { status, text } = await ask(app, query);
  const { code, message } = JSON.parse(text) as { readonly code: string; readonly message: string };
  return { status, code, message };
}

/** All pages. */
async function listed(app: HttpServer, query: Readonly<Record<string, string>>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await pageOf(app, cursor === null ? query : { ...query, cursor });
    expect(page.transfers.length).toBeLessThanOrEqual(Number(query.limit ?? 100));
    rows.push(...page.transfers);
    cursor = page.next;
  } while (cursor !== null);
  return rows.map(({ block, log_index, transaction, token_address, from, to, amount, token_id }) => ({
    ...{ block, log_index, transaction, token_address, from, to, amount, token_id },
  }));
}

const of = (token: string): readonly Row[] => all.filter((row) => row.token_address === token);
const by = (holder: string): readonly Row[] => all.filter(({ from, to }) => [from, to].includes(holder));

beforeAll(async () => {
  const filter = { fromBlock: `0x${CHAIN.genesis.toString(16)}`, toBlock: 'latest' };
  all = ((await askNode(world.nodeUrl, 'eth_getLogs', filter)) as NodeLog[]).flatMap(decode);
  app = await world.start();
});
afterEach(() => world.endAllBut(app));

describe('GET transfers', () => {
  it.each(Object.values(TOKENS).map(({ symbol, address }) => [symbol, address] as const))(
    'has every transfer of %s, page by page, in both orders',
    async (_symbol, token) => {
      expect(of(token).length).toBeGreaterThan(0);
      expect(await listed(app, { token_address: token, order: 'oldest' })).toEqual(of(token));
      const newest = await listed(app, { token_address: token, limit: '37' });
      expect(newest).toEqual(of(token).toReversed());
    },
  );

  it.each([1, 2, 7])('has them in pages of %d, also of several in a block and in an event', async (limit) => {
    for (const order of ['newest', 'oldest']) {
      const query = { token_address: items.address, limit: String(limit), order };
      const expected = order === 'newest' ? of(items.address).toReversed() : of(items.address);
      expect(await listed(app, query)).toEqual(expected);
    }
  });

  it.each(Object.entries({ alice, bob, treasury: HOLDERS.treasury }))(
    'has every transfer of %s, of any token and of one',
    async (_name, holder) => {
      expect(by(holder).length).toBeGreaterThan(0);
      expect(await listed(app, { holder, limit: '50' })).toEqual(by(holder).toReversed());
      for (const token of [usdc.address, weth.address, kitties.address, bayc.address]) {
        const both = by(holder).filter((row) => row.token_address === token);
        expect(await listed(app, { holder, token_address: token, order: 'oldest' })).toEqual(both);
      }
    },
  );

  it('has those of a range of blocks or dates, the ends among them', async () => {
    const [from, to] = [CHAIN.head - 120, CHAIN.head - 20];
    const expected = of(uni.address).filter(({ block }) => block >= from && block <= to);
    const query = { token_address: uni.address, order: 'oldest' };
    expect(await listed(app, { ...query, from: String(from), to: String(to) })).toEqual(expected);
    const [first, last] = await Promise.all(
      [from, to].map(async (height) => {
        const block = (await askNode(
          world.nodeUrl,
          'eth_getBlockByNumber',
          `0x${height.toString(16)}`,
          false,
        )) as {
          timestamp: string;
        };
        return new Date(Number(block.timestamp) * 1_000).toISOString();
      }),
    );
    expect(await listed(app, { ...query, from: first!, to: last! })).toEqual(expected);
    const all = await listed(app, { ...query, to: last! });
    expect(await listed(app, { ...query, from: '1970-01-01', to: last! })).toEqual(all);
  });

  it('goes on up to the block of its first page, and only for the same question', async () => {
    const query = { token_address: usdc.address, limit: '2' };
    const first = await pageOf(app, query);
    expect(first.next).not.toBeNull();
    const cursor = first.next!;
    expect((await pageOf(app, { ...query, cursor, limit: '5' })).to_block).toBe(first.to_block);
    for (const other of [{ token_address: uni.address }, { order: 'oldest' }, { holder: alice }])
      expect(await problem(app, { ...query, cursor, ...other })).toMatchObject({
        status: 400,
        message: expect.stringMatching(/^cursor: /),
      });
    for (const wrong of ['', 'x', 'AAAA', 'a'.repeat(201)])
      expect(await problem(app, { ...query, cursor: wrong })).toMatchObject({ status: 400 });
  });

  it('says whether any may be missing', async () => {
    expect((await pageOf(app, { holder: alice })).index).toMatchObject({ complete: true, tokens: null });
    expect((await pageOf(app, { token_address: usdc.address })).index.complete).toBe(true);
    const some = await world.start({ tracks: [usdc, uni].map(({ address }) => address.toLowerCase()) });
    const { index } = await pageOf(some, { holder: alice });
    expect(index).toMatchObject({
      complete: false,
      tokens: [usdc, uni].map(({ address }) => address.toLowerCase()),
    });
    const ofTwo = by(alice).filter((row) => [usdc.address, uni.address].includes(row.token_address));
    expect(await listed(some, { holder: alice, order: 'oldest' })).toEqual(ofTwo);
    const late = await world.start({ from: usdc.since + 50 });
    expect((await pageOf(late, { token_address: usdc.address })).index.complete).toBe(false);
  });

  it('is CSV where that is wanted', async () => {
    const { text, headers } = await ask(app, { token_address: usdc.address, limit: '3' }, 'text/csv');
    expect(headers['content-type']).toMatch(/^text\/csv/);
    const [facts, head, ...rows] = text.trimEnd().split('\n');
    expect(JSON.parse(facts!.slice(2))).toMatchObject({ record: 'facts', token_address: usdc.address });
    expect(head).toBe(
      'block,block_hash,date,transaction,log_index,token_address,event,from,to,amount,token_id,last_token_id',
    );
    expect(JSON.parse(rows.pop()!.slice(2))).toMatchObject({ record: 'end', transfers: 3 });
    expect(rows.map((row) => Number(row.split(',')[4]))).toEqual(
      of(usdc.address)
        .toReversed()
        .slice(0, 3)
        .map((row) => row.log_index),
    );
  });

  it('takes a name for the account', async () => {
    expect((await listed(app, { holder: 'alice.eth', limit: '1000' })).length).toBe(by(alice).length);
  });

  it('refuses what it cannot answer', async () => {
    const own = await world.start({ tracks: [uni.address.toLowerCase()], from: uni.since + 50 });
    expect(await problem(own, {})).toMatchObject({ status: 400, code: 'missing_parameter' });
    expect(await problem(own, { holder: `${'a'.repeat(509)}.eth` })).toMatchObject({
      code: 'invalid_name',
      message: 'holder: it has more than 512 characters; expected an address, or an ENS name',
    });
    expect(await problem(own, { token_address: usdc.address })).toMatchObject({ code: 'not_indexed' });
    expect(await problem(own, { token_address: uni.address, from: String(uni.since) })).toMatchObject({
      status: 409,
      message: expect.stringContaining(`from block ${uni.since + 50} on`),
    });
    const token = { token_address: uni.address };
    expect(await problem(own, { ...token, to: '99999999' })).toMatchObject({
      code: 'block_above_head',
      message: `to: block 99999999 does not exist yet; the latest block is ${CHAIN.head}`,
    });
    expect(await problem(own, { ...token, to: '2020-01-01' })).toMatchObject({
      code: 'no_block_at_date',
      message: expect.stringMatching('^to: 2020-01-01'),
    });
    expect(await problem(own, { ...token, from: '9999-01-01' })).toMatchObject({
      code: 'no_block_at_date',
      message: expect.stringMatching('^from: 9999-01-01'),
    });
    // The first block at or after it is that of the chain, which is not indexed here.
    expect(await problem(own, { ...token, from: '2020-01-01' })).toMatchObject({
      code: 'not_indexed',
      message: expect.stringContaining(`not from block ${CHAIN.genesis}`),
    });
    const head = String(CHAIN.head);
    expect(await problem(own, { ...token, from: head, to: String(CHAIN.head - 1) })).toMatchObject({
      code: 'invalid_range',
    });
    for (const limit of ['0', '1001', '', '1.5'])
      expect(await problem(own, { ...token, limit })).toMatchObject({ code: 'invalid_parameter' });
    expect(await problem(own, { holder: 'unregistered.eth' })).toMatchObject({
      code: 'unknown_name',
    });
  });

  it('believes no node that leaves out what the index has seen', async () => {
    const own = await world.start({ nodeUrl: altered.url });
    const query = { token_address: usdc.address, to: String(CHAIN.head - 100) };
    await pageOf(own, query);
    altered.alter((method, result) => (method === 'eth_getLogs' ? [] : result));
    try {
      expect(await problem(own, query)).toMatchObject({ status: 503, code: 'index_behind' });
    } finally {
      altered.alter((_method, result) => result);
    }
  });
});
