/** Lists with pages in the tools for agents: all pages up to a bound, and what is beyond them. */
import { describe, expect, it } from '@jest/globals';
import { createClient } from '@hindsight/client';
import { createMcpServer } from '@hindsight/mcp';
import { runTool } from '../../clients/mcp/src/server.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const WALLET = `0x${'11'.repeat(20)}`;
const HASH = `0x${'ab'.repeat(32)}`;
const tokenAt = (page: number): string => `0x${page.toString(16).padStart(40, '2')}`;

const PINNED = {
  network_name: 'eth-mainnet',
  chain_id: 1,
  checked_at_block: 7,
  checked_at_date: '2020-01-01T00:00:00.000Z',
  block_hash: HASH,
  finalized: true,
};
const token = (page: number) => ({
  token_address: tokenAt(page),
  token_name: 'T',
  token_symbol: 'T',
  token_type: 'erc20',
  token_decimals: 0,
});

/** Variants of the lists. */
interface Variants {
  /** Number of entries that came newer. */
  readonly later?: number;
  /** Earlier blocks were not searched. */
  readonly cut?: boolean;
  /** The last block has another hash once changes are asked for. */
  readonly moved?: boolean;
  /** Number of further entries on each page, of contracts that were asked, and of those that gave no answer. */
  readonly more?: number;
}

/** Lists of that many pages, with one entry on each, as the API has them. */
function pageOf(
  endpoint: string,
  pages: number,
  page: number,
  { later = 0, cut, more = 0 }: Variants,
): object {
  const next = page < pages ? String(page + 1) : null;
  const searched = { how: 'logs', from_block: 1, complete: next === null && !cut };
  if (endpoint === 'allowance/list') {
    const allowances = [{ ...token(page), via: 'token', spender: WALLET, allowance: '3' }];
    return {
      ...PINNED,
      owner: WALLET,
      allowances,
      next,
      asked: { ...searched, pairs: 1, unread: [], cut: [] },
    };
  }
  const others = Array.from({ length: more }, (_, i) => tokenAt(100 + i));
  const silent = Array.from({ length: more }, (_, i): [string, string] => [tokenAt(1_000 + i), 'no_answer']);
  const unread: Record<string, string> = page === 1 ? { [tokenAt(9)]: 'no_answer', [tokenAt(8)]: 'cut' } : {};
  Object.assign(unread, Object.fromEntries(silent));
  const asked = {
    tokens: [tokenAt(page), ...others],
    token_ids: 0,
    unread: Object.keys(unread),
    unread_reasons: unread,
  };
  const tokens = [
    { ...token(page + later), balance: String(page) },
    ...others.map((_, i) => ({ ...token(100 + i), balance: '1' })),
  ];
  return { ...PINNED, holder: WALLET, native_balance: '5', tokens, next, asked: { ...searched, ...asked } };
}

/** A name that meant four wallets, one block each. */
const MEANINGS = [4, 5, 6, 7].map((block) => ({
  holder: `0x${`${block}`.repeat(40)}`,
  from_block: block,
  through_block: block,
}));
const meaningsFor = (query: URLSearchParams): object =>
  query.get('resolve') === 'each' ? { meanings: MEANINGS } : {};

/** The answer of a tool on an API whose lists have that many pages, and the queries it was asked. */
async function answerOf(
  tool: string,
  args: object,
  pagesAt: (query: URLSearchParams) => number,
  variants: Variants = {},
) {
  const asked: URLSearchParams[] = [];
  const server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    asked.push(searchParams);
    const endpoint = pathname.replace('/v1/eth-mainnet/', '');
    const body =
      endpoint === 'balance/changes'
        ? {
            ...{ ...PINNED, holder: WALLET, changes: [], complete: true, next: null },
            ...meaningsFor(searchParams),
            ...(variants.moved && { block_hash: `0x${'cd'.repeat(32)}` }),
          }
        : pageOf(
            endpoint,
            pagesAt(searchParams),
            Number(searchParams.get('cursor') ?? 1),
            searchParams.get('block_height') === '3' ? { ...variants, later: 0 } : variants,
          );
    const at = variants.moved && searchParams.get('block_height') === '3' ? { checked_at_block: 3 } : {};
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...body, ...at }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mcp = createMcpServer({ client: createClient({ url, apiKey: 'a-key' }), url });
  const client = new Client({ name: 'test', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  try {
    await Promise.all([mcp.connect(far), client.connect(near)]);
    const result = await client.callTool({ name: tool, arguments: args as Record<string, unknown> });
    if (result.isError) throw new Error(JSON.stringify(result.content));
    return { answer: result.structuredContent as Record<string, unknown>, asked };
  } finally {
    await client.close();
    server.close();
  }
}

describe('a tool of many questions', () => {
  it.each([
    ['not waited for where it is long', '3600', 1, 'Tell the user'],
    ['waited for five times where it is short', '0', 6, 'Wait 1 s'],
  ])('has its place in the burst limit %s', async (_what, retryAfter, asked, advice) => {
    let requests = 0;
    const server = createServer((_request, answer) => {
      requests += 1;
      answer.writeHead(429, { 'retry-after': retryAfter }).end('{"message":"Too many requests."}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = new AbortController();
    const api = { client: createClient({ url, apiKey: 'a-key', retries: 0 }), url, signal };
    const { isError, content } = await runTool(api, 'portfolio', { holder: WALLET, at: 7 });
    expect([isError, JSON.stringify(content), requests]).toEqual([
      true,
      expect.stringContaining(`Too many requests. ${advice}`),
      asked,
    ]);
    server.close();
  });

  it('whose fault is the program’s own says nothing about it', async () => {
    const client = createClient({ url: 'http://127.0.0.1:1', apiKey: 'a-key' });
    const faulty = {
      ...client,
      network: 'eth-mainnet',
      request: () => Promise.reject(new TypeError('a secret')),
    };
    const { signal } = new AbortController();
    const api = { client: faulty, url: 'http://127.0.0.1:1', signal } as never;
    await expect(runTool(api, 'portfolio', { holder: WALLET, at: 7 })).rejects.toThrow(TypeError);
  });
});

it.each([
  ['erc4626', null, null],
  ['erc4626', 2, '10.5 USD'],
  ['uniswap-v3-twap', null, '1050 USD'],
])('the size of a reading of %s with %s decimals is %s', async (kind, decimals, expected) => {
  const reads = [
    {
      kind,
      decimals,
      name: 'a row',
      contract: WALLET,
      call: 'c()',
      answer: '1050',
      quote: 'USD',
      reason: null,
    },
  ];
  const fetch = (): Promise<Response> =>
    Promise.resolve(Response.json({ ...PINNED, token_address: WALLET, reads }));
  const url = 'http://127.0.0.1:1';
  const { signal } = new AbortController();
  const api = { client: createClient({ url, apiKey: 'a-key', fetch }), url, signal };
  const { structuredContent } = await runTool(api, 'value_reads', { token: WALLET, at: 7 });
  expect(structuredContent).toMatchObject({ reads: [{ answer: '1050', answer_formatted: expected }] });
});

describe.each([
  ['portfolio', { holder: WALLET, at: 7 }, 'tokens'],
  ['allowances', { owner: WALLET, at: 7 }, 'allowances'],
])('%s', (tool, args, list) => {
  it('has the entries of all pages', async () => {
    const { answer, asked } = await answerOf(tool, args, () => 3);
    expect((answer[list] as { token_address: string }[]).map((one) => one.token_address)).toEqual(
      [1, 2, 3].map(tokenAt),
    );
    expect(answer).toMatchObject({ total: 3, more: null, asked: { complete: true } });
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, '2', '3']);
    expect(new Set(asked.map((query) => query.get('block_height')))).toEqual(new Set(['7']));
  });

  it('reads no more than five pages, and says that there are more', async () => {
    const { answer, asked } = await answerOf(tool, args, () => 6);
    expect(asked).toHaveLength(5);
    expect(answer).toMatchObject({
      total: 5,
      more: expect.stringMatching(/first 5 pages/),
      asked: { complete: false },
    });
  });
});

it('portfolio merges what its pages asked: the rest of a contract that one page cut is on a later page', async () => {
  const args = { holder: WALLET, at: 7 };
  const of = async (pages: number) => (await answerOf('portfolio', args, () => pages)).answer.asked;
  const tokens = (pages: number) => Array.from({ length: pages }, (_, i) => tokenAt(i + 1));
  expect(await of(2)).toMatchObject({
    tokens: tokens(2),
    unread_reasons: { [tokenAt(9)]: 'no_answer' },
    unread: [tokenAt(9)],
  });
  expect(await of(6)).toMatchObject({ tokens: tokens(5), unread: [tokenAt(9), tokenAt(8)] });
});

it('portfolio names no more contracts than a model can take in', async () => {
  const { answer } = await answerOf('portfolio', { holder: WALLET, at: 7 }, () => 1, { more: 60 });
  const asked = answer.asked as Record<string, object>;
  expect(asked).toMatchObject({ token_count: 61, unread_count: 61 });
  const lists = [asked.tokens, asked.unread, Object.keys(asked.unread_reasons!)];
  expect(lists.map((names) => (names as string[]).length)).toEqual([50, 50, 50]);
});

it.each([
  ['portfolio', { holder: WALLET, at: 7 }],
  ['allowances', { owner: WALLET, at: 7 }],
])('%s says where a part is of another list than the part before', async (tool, args) => {
  const moreOf = async (total: number) => {
    const { answer } = await answerOf(tool, { ...args, offset: 1, total }, () => 2);
    return answer.more;
  };
  expect(await moreOf(2)).toBeNull();
  expect(await moreOf(3)).toMatch(/^More or less could be read than for the answer before/);
});

it('portfolio names the length of its list for the next part', async () => {
  const { answer } = await answerOf('portfolio', { holder: WALLET, at: 7 }, () => 1, { more: 60 });
  expect(answer.next).toMatchObject({ arguments: { offset: 50, total: 61 } });
});

it('explain_changes lists as many assets, those that changed among them, and says that there are more', async () => {
  const args = { holder: WALLET, from: 3, to: 7 };
  const { answer } = await answerOf('explain_changes', args, () => 1, { more: 60, later: 1 });
  const assets = answer.assets as { token: string; changed: boolean | null }[];
  expect(assets).toHaveLength(50);
  const changed = assets.filter((one) => one.changed).map(({ token }) => token);
  // The second of them would be the last of all.
  expect(changed).toEqual([tokenAt(1), tokenAt(2)]);
  expect(answer.more).toMatch(/^13 more assets are not listed, 0 of them changed or not known/);
});

it('explain_changes answers null for a balance that may be on a page that was not read', async () => {
  const args = { holder: WALLET, from: 3, to: 7 };
  const rowsOf = async (before: number, after: number) => {
    const pagesAt = (query: URLSearchParams): number => (query.get('block_height') === '3' ? before : after);
    const { answer } = await answerOf('explain_changes', args, pagesAt, { later: 1 });
    const named = [tokenAt(1), tokenAt(6)];
    const assets = answer.assets as Record<string, unknown>[];
    const rows = assets.filter((one) => named.includes(String(one.token)));
    return { more: answer.more, rows: rows.map((one) => [one.token, one.before, one.after, one.changed]) };
  };
  expect(await rowsOf(1, 5)).toEqual({
    more: null,
    rows: [
      [tokenAt(1), '1', '0', true],
      [tokenAt(6), '0', '5', true],
    ],
  });
  expect(await rowsOf(6, 7)).toEqual({
    more: expect.stringMatching(/more contracts than 5 pages/),
    rows: [
      [tokenAt(1), '1', null, null],
      [tokenAt(6), null, '5', null],
    ],
  });
});

it.each<[string, Variants, unknown[][]]>([
  [
    'the token did not tell',
    { later: 8 },
    [
      [tokenAt(9), null, '1', null],
      [tokenAt(1), '1', '0', true],
    ],
  ],
  [
    'may have come in blocks that were not searched',
    { later: 2, cut: true },
    [
      [tokenAt(3), null, '1', null],
      [tokenAt(1), '1', '0', true],
    ],
  ],
])('explain_changes answers null for a balance that %s', async (_why, variants, expected) => {
  const args = { holder: WALLET, from: 3, to: 7 };
  const { answer } = await answerOf('explain_changes', args, () => 1, variants);
  const rows = (answer.assets as Record<string, unknown>[]).slice(1);
  const known = rows.map((one) => [one.token, one.before, one.after, one.changed]);
  expect(known).toEqual(expect.arrayContaining(expected));
});

it('explain_changes names all that is left out of a name that moved: addresses, and pages', async () => {
  const args = { holder: 'moved.eth', from: 3, to: 7 };
  const { answer } = await answerOf('explain_changes', args, () => 6);
  expect(answer).toMatchObject({ meanings: MEANINGS, earlier: [{}, {}] });
  expect(answer.more).toMatch(/addresses before: 0x4{40}\. The wallet has more contracts than 5 pages/);
});

it('explain_changes lists no changes up to a block that is another by then', async () => {
  const answer = answerOf('explain_changes', { holder: WALLET, from: 3, to: 7 }, () => 1, { moved: true });
  await expect(answer).rejects.toThrow('block 7 was reorganised away meanwhile');
});
