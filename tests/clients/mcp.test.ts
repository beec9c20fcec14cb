/** The tools for agents, driven by the official client over both transports, against a whole installation. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createClient } from '@hindsight/client';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { createMcpServer, serveStdio } from '@hindsight/mcp';
import { readFileSync } from 'node:fs';
import { PassThrough, Writable } from 'node:stream';
import { join, resolve } from 'node:path';
import { runAdmin } from '../support/admin.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { machineEnv } from '../support/machine.ts';
import { makeOrders } from '../support/orders/signed-orders.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';
import { untilHoldersIndexed } from '../support/until-indexed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
/** Its proxy has no implementation yet, and so no balances. */
const EMPTY_USDC = 17_999_855;
const TREASURY = '0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7';
const VAULT = '0x1c9926817a331141EB2c1A762c796A766524a709';
const ALICE = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';
const BLOCK_HASH = '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0';
const TOOLS = [
  'find_token',
  'block_at',
  'balances',
  'balance_series',
  'balance_changes',
  'explain_changes',
  'statement',
  'reconcile',
  'allowances',
  'portfolio',
  'token_holders',
  'value_reads',
  'read_contract',
  'get_order',
  'list_orders',
  'networks',
  'usage',
];

let hindsight: SharedHindsight;
let apiKey: string;

beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  apiKey = await makeFastKey(hindsight.dataDir);
  await untilHoldersIndexed(hindsight.url, apiKey);
});

interface Result {
  readonly isError?: boolean;
  readonly content: { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

async function overHttp(key = apiKey): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { 'x-api-key': key };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${hindsight.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

async function overStdio(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const env = { ...machineEnv(), HINDSIGHT_API_KEY: apiKey, HINDSIGHT_URL: hindsight.url };
  const args = [join(ROOT, 'clients/cli/src/main.ts'), 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}

const call = async (client: Client, name: string, args: object): Promise<Result> =>
  (await client.callTool({ name, arguments: args as Record<string, unknown> })) as unknown as Result;

interface Source {
  readonly url: string;
}
/** Answer of a tool. */
interface Answer extends Record<string, unknown> {
  readonly tokens: { readonly token_address: string }[];
  readonly answers: { readonly balance: string; readonly source: Source }[];
  readonly source?: Source;
  readonly source_url: string;
  readonly orders: readonly Order[];
  readonly next: Next | null;
}
interface Order {
  readonly order_hash: string;
}
interface Next {
  readonly tool: string;
  readonly arguments: object;
}

async function answerOf(client: Client, name: string, args: object): Promise<Answer> {
  const { isError, content, structuredContent } = await call(client, name, args);
  expect({ isError, text: isError ? content[0]?.text : '' }).toEqual({ isError: undefined, text: '' });
  expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
  return structuredContent as Answer;
}

const ask = async (url: string): Promise<unknown> =>
  (await fetch(url, { headers: { 'x-api-key': apiKey } })).json();

let series = 0;

/** Sends orders of their own. @returns their hashes */
async function postOrders(count: number): Promise<readonly string[]> {
  const hashes = [];
  for (const { body } of makeOrders(count, 7_700 + series++)) {
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const url = `${hindsight.url}/v1/eth-mainnet/orders/dex-webhook`;
    const answer = await fetch(url, { method: 'POST', headers, body });
    const { orderHash } = (await answer.json()) as { orderHash: string };
    expect(answer.status).toBe(201);
    hashes.push(orderHash);
  }
  return hashes;
}

/** A page of orders, once its URL gives the same: another suite of the run may send one between the two questions. */
async function pageOfOrders(client: Client, { tool, arguments: args }: Next): Promise<Answer> {
  let answer: Answer | undefined;
  await until('the URL of a page gives the same', async () => {
    answer = await answerOf(client, tool, args);
    const hashes = answer.orders.map(({ order_hash }) => order_hash);
    return hashesOf(await ask(answer.source_url)).join() === hashes.join();
  });
  return answer!;
}

const hashesOf = (page: unknown): readonly string[] =>
  (page as { orders: { orderHash: string }[] }).orders.map(({ orderHash }) => orderHash);

describe.each([
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
] as const)('the tools over %s', (_transport, open) => {
  const client = forAllTests(() => open(), 'close');

  it('are seventeen, read only, each with a description, as their parameters', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(client.getServerVersion()).toMatchObject({ name: 'hindsight', version });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    const guide = readFileSync(join(ROOT, 'docs/guides/agents.md'), 'utf8');
    for (const { name, title, description, annotations, inputSchema, outputSchema } of tools) {
      // The client validates every answer below against it.
      expect(Object.keys(outputSchema?.properties ?? {}).length).toBeGreaterThan(0);
      expect(guide).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${title} +\\|$`, 'm'));
      expect(description?.length).toBeGreaterThan(40);
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
      for (const parameter of Object.values(inputSchema.properties ?? {}))
        expect((parameter as { description?: string }).description).toEqual(expect.any(String));
    }
  });

  it('ask about the network that is named, and continue there', async () => {
    const refused = await call(client, 'block_at', { at: '18000000', network: 'sepolia' });
    expect([refused.isError, refused.content[0]?.text]).toEqual([
      true,
      expect.stringContaining('The network sepolia is not served here; served: eth-mainnet'),
    ]);
    const named = { search: 'U', limit: 1, network: 'eth-mainnet' };
    const { next } = await answerOf(client, 'find_token', named);
    expect(next).toMatchObject({ tool: 'find_token', arguments: { page: 2, network: 'eth-mainnet' } });
  });

  it('find a token, then a balance with its source, whose URL gives the same', async () => {
    const { tokens } = await answerOf(client, 'find_token', { search: 'USDC' });
    expect(tokens).toMatchObject([{ token_address: USDC, symbol: 'USDC' }]);
    const { answers } = await answerOf(client, 'balances', {
      questions: [
        { token: USDC, holder: 'alice.eth', at: '18,000,000' },
        { token: 'native', holder: 'alice.eth', at: BLOCK_HASH },
      ],
    });
    const [usdc, ether] = answers;
    expect(usdc).toMatchObject({
      balance: '4550227500',
      balance_formatted: '4550.2275 USDC',
      source: {
        block: 18_000_000,
        block_hash: BLOCK_HASH,
        date: '2023-08-26T16:21:35.000Z',
        finalized: true,
      },
    });
    expect(ether).toMatchObject({ balance_formatted: '106.934 ETH' });
    for (const { source, balance } of [usdc!, ether!]) {
      expect(source.url).not.toContain(apiKey);
      expect(await ask(source.url)).toMatchObject({ balance, block_hash: BLOCK_HASH });
    }
  });

  it.each([
    ['block_at', { at: '2023-08-26T16:21:40Z' }, { block_number: 18_000_000, block_hash: BLOCK_HASH }],
    ['block_at', { at: 18_000_000 }, { block_hash: BLOCK_HASH }],
    [
      'balance_series',
      { token: USDC, holder: TREASURY, from: 17_999_998, to: 18_000_002, step: '2' },
      { points: [{ balance_formatted: '1250000 USDC' }, { balance: '0' }, {}], finalized: true },
    ],
    [
      'balance_changes',
      { token: USDC, holder: TREASURY, from: 17_999_900, to: 18_000_002 },
      {
        changes: [{ block: 18_000_000, balance_before_formatted: '1250000 USDC', balance_after: '0' }],
        next: null,
      },
    ],
    [
      'balance_changes',
      { token: 'native', holder: 'alice.eth', from: 18_000_123, to: 18_000_142 },
      {
        token_symbol: 'ETH',
        complete: true,
        changes: [
          {
            block: 18_000_142,
            after_block: 18_000_141,
            cause: 'state',
            balance_before: '102394444400000000000',
            balance_after: '141151001287999997281',
          },
        ],
        next: null,
      },
    ],
    [
      'allowances',
      { owner: 'alice.eth', at: '17999900' },
      { allowances: [{ allowance: '750000000000000000000', allowance_formatted: '750 UNI' }], next: null },
    ],
    [
      'portfolio',
      { holder: 'alice.eth', at: '18000000' },
      { native_balance_formatted: '106.934 ETH', next: null, source: { block_hash: BLOCK_HASH } },
    ],
    [
      'token_holders',
      { token: USDC, at: '18000000' },
      {
        token_symbol: 'USDC',
        complete: true,
        sum_of_these: '1406495000000',
        total_supply: '1406495000000',
        next: null,
        source: { block_hash: BLOCK_HASH },
      },
    ],
    [
      'token_holders',
      { token: USDC, at: '18000000', order: 'balance', limit: 1 },
      {
        holder_count: 21,
        errors: 0,
        holders: [{ share_of_supply_ppm: expect.any(Number) }],
        sum_of_all: '1406495000000',
        total_supply_formatted: '1406495 USDC',
        source: { block_hash: BLOCK_HASH, url: expect.stringContaining('order=balance') },
      },
    ],
    [
      'read_contract',
      { target: USDC, function: 'balanceOf(address) returns (uint256)', args: [[ALICE]], at: '18000000' },
      { results: [{ values: ['4550227500'] }], source: { method: 'POST', block_hash: BLOCK_HASH } },
    ],
    [
      'value_reads',
      { token: '0x1672E7548c3545B5C5dfC7AA0E3dA1E6891c735e', at: 18_000_142 },
      {
        reads: [{ kind: 'erc4626', answer_formatted: '1.05 0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984' }],
        source: { url: expect.stringContaining('/value/reads?token_address=0x1672') },
      },
    ],
    [
      'value_reads',
      { token: USDC, at: '18000000' },
      { reads: [{ answer: null, answer_formatted: null, reason: 'no_contract' }] },
    ],
    ['networks', {}, { networks: [expect.objectContaining({ network_name: 'eth-mainnet' })] }],
    [
      'balance_changes',
      { token: USDC, holder: 'alice.eth', from: '17999990', to: '18000000' },
      { holder: ALICE, holder_name: 'alice.eth', holder_resolved_at: { block: 18_000_000 } },
    ],
    [
      'statement',
      { token: USDC, holder: TREASURY, from: 17_999_990, to: 18_000_002, step: '12' },
      {
        token_symbol: 'USDC',
        complete: true,
        periods: [
          {
            opening_formatted: '1250000 USDC',
            in_formatted: '0 USDC',
            out_formatted: '1250000 USDC',
            unexplained_formatted: '0 USDC',
            closing: '0',
          },
        ],
      },
    ],
    [
      'reconcile',
      {
        token: USDC,
        holder: TREASURY,
        rows: [
          { at: 17_999_990, balance: '1250000000000' },
          { at: '2023-08-26T16:21:40Z', balance: '1250000000000' },
        ],
      },
      {
        equal: false,
        first_divergence: { difference_formatted: '-1250000 USDC', cause: 'transfer', block: 18_000_000 },
      },
    ],
    [
      'reconcile',
      {
        token: USDC,
        holder: TREASURY,
        rows: [
          { at: EMPTY_USDC, balance: '0' },
          { at: 17_999_990, balance: '1250000000000' },
        ],
      },
      { equal: false, rows: [{ balance: null, equal: null }, { equal: true }], first_divergence: null },
    ],
    [
      'explain_changes',
      { holder: TREASURY, from: 17_999_990, to: 18_000_002 },
      {
        holder: TREASURY,
        more: null,
        before: { block: 17_999_990 },
        after: { block: 18_000_002 },
        assets: expect.arrayContaining([
          expect.objectContaining({
            token: USDC,
            before_formatted: '1250000 USDC',
            after_formatted: '0 USDC',
            changed: true,
            complete: true,
            changes: [expect.objectContaining({ block: 18_000_000, cause: 'transfer' })],
          }),
          expect.objectContaining({ token: 'native', changed: true }),
        ]),
      },
    ],
    [
      'explain_changes',
      { holder: 'treasury.eth', from: 17_999_990, to: 18_000_002 },
      {
        about: expect.stringMatching(
          new RegExp(
            `it meant ${TREASURY} in blocks 17999991 to 17999999, then ${VAULT} .* those of ${VAULT} alone`,
          ),
        ),
        holder: VAULT,
        holder_name: 'treasury.eth',
        meanings: [
          { holder: TREASURY, from_block: 17_999_991, through_block: 17_999_999 },
          { holder: VAULT, from_block: 18_000_000, through_block: 18_000_002 },
        ],
        before: { block: 17_999_999 },
        after: { block: 18_000_002 },
        assets: expect.arrayContaining([
          expect.objectContaining({
            token: USDC,
            after_formatted: '1250000 USDC',
            changes: [expect.objectContaining({ block: 18_000_000 })],
          }),
        ]),
        earlier: [
          {
            holder: TREASURY,
            before: { block: 17_999_990 },
            after: { block: 18_000_000 },
            assets: expect.arrayContaining([
              expect.objectContaining({
                token: USDC,
                before_formatted: '1250000 USDC',
                after_formatted: '0 USDC',
                changes: [expect.objectContaining({ block: 18_000_000, cause: 'transfer' })],
              }),
            ]),
          },
        ],
      },
    ],
    [
      'balance_changes',
      { token: USDC, holder: 'treasury.eth', from: 17_999_990, to: 18_000_002, resolve: 'each' },
      {
        holder_name: 'treasury.eth',
        meanings: [{ holder: TREASURY }, { holder: VAULT, from_block: 18_000_000 }],
        changes: [{ block: 18_000_000, holder: VAULT, balance_after_formatted: '1250000 USDC' }],
      },
    ],
    ['usage', {}, { plan: 'enterprise' }],
  ])('%s answers', async (name, args, expected) => {
    expect(await answerOf(client, name, args)).toMatchObject(expected);
  });

  it.each(['balance_series', 'balance_changes', 'portfolio', 'allowances', 'block_at'] as const)(
    '%s names a URL that gives the same answer for good',
    async (name) => {
      const range = { token: USDC, holder: 'treasury.eth', from: 18_000_000, to: 'latest' };
      const args = {
        balance_series: { ...range, points: 5 },
        balance_changes: range,
        allowances: { owner: 'alice.eth', at: '17999900' },
        portfolio: { holder: 'alice.eth', at: '17999900' },
        block_at: { at: '17999900' },
      }[name];
      const answer = await answerOf(client, name, args);
      const url = answer.source?.url ?? answer.source_url;
      const again = (await ask(url)) as Record<string, unknown>;
      expect(again).not.toHaveProperty('statusCode');
      const items = (of: Record<string, unknown>): unknown =>
        [of.points, of.changes, of.tokens, of.allowances].find((list) => list !== undefined) ?? {
          hash: of.block_hash,
        };
      expect(items(again)).toMatchObject(
        JSON.parse(
          JSON.stringify(items(answer), (key, value: unknown) =>
            key.endsWith('_formatted') ? undefined : value,
          ),
        ) as object,
      );
    },
  );

  it('page a long result with the arguments of the next call', async () => {
    const seen: string[] = [];
    let next: Next | null = {
      tool: 'find_token',
      arguments: { search: 'U', limit: 1 },
    };
    for (let page = 0; next !== null && page < 20; page++) {
      const answer: Answer = await answerOf(client, next.tool, next.arguments);
      seen.push(...answer.tokens.map(({ token_address }) => token_address));
      ({ next } = answer);
    }
    expect(next).toBeNull();
    expect(seen.length).toBeGreaterThan(2);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('list holders on pages of one index', async () => {
    const args = { token: USDC, at: '18000000', limit: 15 };
    const { next } = await answerOf(client, 'token_holders', args);
    const rest = await answerOf(client, next!.tool, next!.arguments);
    expect(next!.arguments).toMatchObject({ indexed_from_block: rest.indexed_from_block });
    const moved = { ...next!.arguments, indexed_from_block: 17_999_000 };
    const { isError, content } = await call(client, next!.tool, moved);
    expect([isError, content[0]!.text]).toEqual([
      true,
      expect.stringMatching(
        /the index begins at block \d+ in place of 17999000: list the holders from the first page/,
      ),
    ]);
  });

  it('list orders on pages, and read one, whose URLs give the same', async () => {
    const hashes = await postOrders(3);
    const asked = { status: 'open', type: 'Dutch_V2', limit: 2, network: 'eth-mainnet' };
    const seen: Order[] = [];
    let next: Next | null = { tool: 'list_orders', arguments: asked };
    while (next !== null && !hashes.every((hash) => seen.some(({ order_hash }) => order_hash === hash))) {
      const answer = await pageOfOrders(client, next);
      seen.push(...answer.orders);
      ({ next } = answer);
    }
    expect(seen.map(({ order_hash }) => order_hash)).toEqual(expect.arrayContaining([...hashes]));
    expect(new Set(seen.map(({ order_hash }) => order_hash)).size).toBe(seen.length);
    const one = await answerOf(client, 'get_order', { order_hash: hashes[0] });
    expect(one).toEqual(seen.find(({ order_hash }) => order_hash === hashes[0]));
    expect(one).toMatchObject({
      type: 'Dutch_V2',
      network: 'eth-mainnet',
      deadline: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.000Z$/),
      input: { token: USDC, startAmount: '1000000000' },
      state: { status: 'open' },
    });
    expect(await ask(one.source_url)).toMatchObject({ orderHash: hashes[0], order: { nonce: one.nonce } });
    const { orders } = await answerOf(client, 'list_orders', { filler: TREASURY });
    expect(orders).toEqual([]);
  });

  it.each([
    ['balances', { questions: [{ token: 'USDC', holder: 'alice.eth', at: 'latest' }] }, /find_token/],
    ['balances', { questions: [{ token: USDC, holder: 'alice.eth' }] }, /questions.0.at/],
    ['portfolio', { holder: 'alice.eth' }, /^at: /],
    ['balance_changes', { token: USDC, holder: 'alice.eth', from: 18_000_000 }, /^to: /],
    [
      'explain_changes',
      { holder: 'treasury.eth', from: '2015-01-01', to: 'latest' },
      /before the chain's first block, \d+ of [\dT:-]+Z\. Ask again from a moment/,
    ],
    ['explain_changes', { holder: 'nobody.eth', from: 17_999_990, to: 18_000_002 }, /no address/],
    [
      'statement',
      { token: USDC, holder: 'treasury.eth', from: 17_999_990, to: 18_000_010, step: '20' },
      /treasury\.eth means 0x.* and meant 0x.*\. Ask about one of these addresses at a time.*resolve "each"/s,
    ],
    ['portfolio', { holder: '0x12', at: 'latest' }, /holder.*Correct the argument/s],
    ['portfolio', { holder: 'alice.eth' }, /^at: expected a block number.*Correct the argument/s],
    ['block_at', { at: 'yesterday' }, /block number/],
    ['block_at', { at: '99999999' }, /do not guess/],
    ['allowances', { owner: 'nobody.eth', at: 'latest' }, /no address.*do not guess/s],
    ['balance_series', { token: USDC, holder: 'alice.eth', from: 18_000_000, to: 17_999_000 }, /Correct/],
    ['get_order', { order_hash: '0x12' }, /^order_hash: expected an order’s hash.*Correct/s],
    ['get_order', { order_hash: `0x${'00'.repeat(32)}` }, /no order 0x0000.*do not guess/s],
    ['list_orders', { swapper: 'alice.eth' }, /^swapper: expected an address/],
    ['list_orders', { status: 'done' }, /^status: /],
    ['list_orders', { order_status: 'filled' }, /Unrecognized key: "order_status".*Correct/s],
    ['block_at', { at: 'latest', network_name: 'base-mainnet' }, /Unrecognized key: "network_name"/],
    [
      'balances',
      { questions: [{ token: USDC, holder: 'alice.eth', at: 'latest', network: 'base-mainnet' }] },
      /questions.0: Unrecognized key: "network"/,
    ],
    ['list_orders', { cursor: 'AAAA' }, /cursor: expected the next.*Correct/s],
  ])('%s says of a fault what to do next', async (name, args, text) => {
    const { isError, content } = await call(client, name, args);
    expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(text)]);
  });

  it('answer the other rows where one has an error', async () => {
    const questions = [
      { token: 'native', holder: 'nobody.eth', at: '18000000' },
      { token: 'native', holder: 'alice.eth', at: '18000000' },
    ];
    const { answers } = await answerOf(client, 'balances', { questions });
    expect(answers).toMatchObject([
      { holder: 'nobody.eth', error: expect.stringMatching(/no address at block \d+\. Check/) },
      { balance: '106934000000000000000' },
    ]);
  });
});

it.each([
  ['redirects', 302, /redirects to https:\/\/elsewhere\/.*Tell the user/s],
  ['is no API', 200, /is not JSON of the API: is this its address\? Tell the user/],
])('an address that %s is told to the model', async (_what, status, text) => {
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response('<html>', { status, headers: { location: 'https://elsewhere/' } }));
  const url = 'http://127.0.0.1';
  const api = { client: createClient({ url, apiKey: 'hs_key', fetch }), url };
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(api);
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const { isError, content } = await call(client, 'block_at', { at: 'latest' });
  expect([isError, content[0]?.text]).toEqual([true, expect.stringMatching(text)]);
  await client.close();
});

describe.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])('the guides over %s', (_transport, connect) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client.close());

  it('are listed as resources, each with its size', async () => {
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(20);
    expect(resources).toContainEqual({
      uri: 'hindsight://guides/amounts.md',
      name: 'amounts.md',
      title: 'Amounts',
      description: 'decimal strings, decimals, and why they are never floats.',
      mimeType: 'text/markdown',
      size: Buffer.byteLength(readFileSync(join(ROOT, 'docs/guides/amounts.md'))),
    });
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
  });

  it('can be read, with the address of this server, and their links to each other', async () => {
    const { resources } = await client.listResources();
    const known = new Set(resources.map(({ uri }) => uri));
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toEqual([
        { uri, mimeType: 'text/markdown', text: expect.stringMatching(/^# [^\n]+\n/) },
      ]);
      const { text } = contents[0] as { text: string };
      expect(text).not.toContain('http://127.0.0.1:8080');
      const links = [...text.matchAll(/\]\(([a-z\d-]+\.md)/g)].map(
        ([, file = '']) => new URL(file, uri).href,
      );
      expect(links.filter((link) => !known.has(link))).toEqual([]);
    }
  });

  it.each(['hindsight://guides/none.md', 'hindsight://guides/README.md', 'file:///etc/passwd', 'x'])(
    'are nothing else: %s is an error',
    async (uri) => {
      await expect(client.readResource({ uri })).rejects.toMatchObject({
        code: -32_002,
        message: expect.stringContaining('resources/list'),
      });
    },
  );
});

describe('POST /mcp', () => {
  const post = (headers: Record<string, string>, body: unknown, path = '/mcp'): Promise<Response> =>
    fetch(hindsight.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const CALL = {
    ...LIST,
    method: 'tools/call',
    params: { name: 'block_at', arguments: { at: '18000000' } },
  };

  async function makeKey(...limits: string[]): Promise<{ project: string; key: string }> {
    const words = ['project', 'create', '--name', 'agent', ...limits, '--json'];
    const { stdout } = await runAdmin({ DATA_DIR: hindsight.dataDir }, ...words);
    return JSON.parse(stdout) as { project: string; key: string };
  }
  const unitsOf = async (key: string): Promise<number> => {
    const answer = await fetch(`${hindsight.url}/v1/usage`, { headers: { 'x-api-key': key } });
    return ((await answer.json()) as { requests: { used: number } }).requests.used;
  };

  it('is a 401 without a valid key, whatever the body', async () => {
    for (const headers of [{}, { 'x-api-key': 'hs_unknown' }, { authorization: 'Bearer hs_unknown' }]) {
      const answer = await post(headers, 'no JSON');
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'ApiKey']);
    }
  });

  it.each(['GET', 'DELETE', 'PUT'])('has no %s: there are no sessions', async (method) => {
    const answer = await fetch(`${hindsight.url}/mcp`, { method, headers: { 'x-api-key': apiKey } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it.each([
    ['no JSON', 400],
    ['x'.repeat(70_000), 413],
  ])('refuses a body that is not one of its messages', async (body, status) => {
    expect((await post({ 'x-api-key': apiKey }, body)).status).toBe(status);
  });

  describe('from the revision 2026-07-28 on', () => {
    const REVISION = '2026-07-28';
    const meta = (version: unknown = REVISION): object => ({
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    const send = async (
      method: string,
      params: object,
      headers: Record<string, string> = { 'mcp-protocol-version': REVISION, 'mcp-method': method },
    ) => {
      const answer = await post(
        { 'x-api-key': apiKey, ...headers },
        { jsonrpc: '2.0', id: 7, method, params },
      );
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const BLOCK_AT = { name: 'block_at', arguments: { at: '18000000' }, _meta: meta() };
    const called = { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call' };

    it('reports its versions, and lists its tools, without a handshake', async () => {
      const found = await send('server/discover', { _meta: meta() });
      expect(found).toMatchObject({
        status: 200,
        body: {
          id: 7,
          result: {
            resultType: 'complete',
            supportedVersions: expect.arrayContaining([REVISION, '2025-11-25']),
            capabilities: { tools: {}, resources: {} },
            cacheScope: 'public',
          },
        },
      });
      const listed = await send('tools/list', { _meta: meta() });
      const { tools, ttlMs } = listed.body.result as { tools: { name: string }[]; ttlMs: number };
      expect([tools.map(({ name }) => name), ttlMs > 0]).toEqual([TOOLS, true]);
    });

    it('runs a tool, also one whose name is sent in Base64', async () => {
      const base64 = `=?base64?${Buffer.from('block_at').toString('base64')}?=`;
      for (const name of ['block_at', base64])
        expect(await send('tools/call', BLOCK_AT, { ...called, 'mcp-name': name })).toMatchObject({
          status: 200,
          body: {
            result: {
              resultType: 'complete',
              structuredContent: { block_number: 18_000_000 },
              _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'hindsight' } },
            },
          },
        });
    });

    it('lists and reads the guides', async () => {
      const listed = await send('resources/list', { _meta: meta() });
      const { resources, ttlMs } = listed.body.result as { resources: { uri: string }[]; ttlMs: number };
      expect(ttlMs).toBeGreaterThan(0);
      const { uri } = resources[0]!;
      const named = { 'mcp-protocol-version': REVISION, 'mcp-method': 'resources/read', 'mcp-name': uri };
      const read = await send('resources/read', { uri, _meta: meta() }, named);
      expect(read).toMatchObject({
        status: 200,
        body: {
          result: { resultType: 'complete', contents: [{ uri, text: expect.stringContaining('# ') }] },
        },
      });
    });

    it.each<[string, string, object, Record<string, string> | undefined, number, number]>([
      ['no metadata', 'server/discover', {}, undefined, 400, -32_602],
      [
        'another version',
        'server/discover',
        { _meta: meta('2027-01-01') },
        { 'mcp-protocol-version': '2027-01-01', 'mcp-method': 'server/discover' },
        400,
        -32_022,
      ],
      ['a header of another version', 'tools/list', { _meta: meta('2027-01-01') }, undefined, 400, -32_020],
      [
        'no header of the method',
        'tools/list',
        { _meta: meta() },
        { 'mcp-protocol-version': REVISION },
        400,
        -32_020,
      ],
      ['a header of another tool', 'tools/call', BLOCK_AT, { ...called, 'mcp-name': 'usage' }, 400, -32_020],
      [
        'a guide that there is not',
        'resources/read',
        { uri: 'hindsight://guides/none.md', _meta: meta() },
        {
          'mcp-protocol-version': REVISION,
          'mcp-method': 'resources/read',
          'mcp-name': 'hindsight://guides/none.md',
        },
        400,
        -32_602,
      ],
      [
        'a header of another guide',
        'resources/read',
        { uri: 'hindsight://guides/amounts.md', _meta: meta() },
        { 'mcp-protocol-version': REVISION, 'mcp-method': 'resources/read', 'mcp-name': 'amounts.md' },
        400,
        -32_020,
      ],
      ['the handshake', 'initialize', { _meta: meta() }, undefined, 404, -32_601],
      ['a method that is not offered', 'prompts/list', { _meta: meta() }, undefined, 404, -32_601],
    ])('refuses %s', async (_what, method, params, headers, status, code) => {
      expect(await send(method, params, headers)).toMatchObject({ status, body: { id: 7, error: { code } } });
    });

    it('is spoken on standard input, beside a client with a handshake, and calls can be cancelled', async () => {
      const lines: string[] = [];
      const input = new PassThrough();
      const output = new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          lines.push(...String(chunk).trim().split('\n'));
          done();
        },
      });
      let asked: AbortSignal | undefined;
      const client = createClient({
        apiKey,
        url: hindsight.url,
        timeoutMs: Infinity,
        // The usage is never answered.
        fetch: (url, init) => {
          if (url !== `${hindsight.url}/v1/usage`) return fetch(url, init);
          asked = init!.signal!;
          return new Promise(() => undefined);
        },
      });
      const { signal } = new AbortController();
      const served = serveStdio({ client, url: hindsight.url, signal }, { stdin: input, stdout: output });
      const write = (message: object): void =>
        void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      write({ id: 1, method: 'server/discover', params: { _meta: meta() } });
      write({ id: 2, method: 'tools/call', params: BLOCK_AT });
      write({ id: 3, method: 'tools/call', params: { name: 'usage', _meta: meta() } });
      await until('all have begun', () => lines.length === 2 && asked !== undefined);
      write({ method: 'notifications/cancelled', params: { requestId: 3, _meta: meta() } });
      await until('the API is no longer asked', () => asked!.aborted);
      write({ id: 4, method: 'server/discover', params: { _meta: meta() } });
      await until('the last is answered', () => lines.length >= 3);
      input.end();
      await served;
      const answers = lines.map(
        (line) => JSON.parse(line) as { id: number; result?: { resultType: string } },
      );
      expect(answers.map(({ id, result }) => [id, result?.resultType])).toEqual([
        [1, 'complete'],
        [2, 'complete'],
        [4, 'complete'],
      ]);
    });
  });

  it('counts what the tools ask, and not the envelope', async () => {
    const { key } = await makeKey('--plan', 'free');
    const listed = await post({ authorization: `Bearer ${key}` }, LIST);
    expect([listed.status, listed.headers.get('x-units')]).toEqual([200, '0']);
    const params = { uri: 'hindsight://guides/errors.md' };
    const read = await post({ 'x-api-key': key }, { ...LIST, method: 'resources/read', params });
    expect([read.status, read.headers.get('x-units')]).toEqual([200, '0']);
    const called = await post({ 'x-api-key': key }, CALL);
    expect([called.status, called.headers.get('x-units')]).toEqual([200, '1']);
    while ((await unitsOf(key)) === 0) await new Promise((done) => setTimeout(done, 500));
    expect(await unitsOf(key)).toBe(1);
  });

  it('keeps to the limit of the month, and says so to the model', async () => {
    const { key } = await makeKey('--plan', 'enterprise', '--monthly-limit', '1', '--rate', '100');
    await post({ 'x-api-key': key }, CALL);
    const answer = (await (await post({ 'x-api-key': key }, CALL)).json()) as { result: Result };
    expect(answer.result.isError).toBe(true);
    expect(answer.result.content[0]!.text).toMatch(/Monthly limit exceeded.*Tell the user/s);
  });

  it('bounds the envelopes that ask nothing by the burst limit', async () => {
    const { key } = await makeKey('--plan', 'enterprise', '--monthly-limit', '100', '--rate', '1');
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await post({ 'x-api-key': key }, LIST)).status),
    );
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  });

  it('writes the key into no log', () => {
    expect(readFileSync(hindsight.log, 'utf8')).not.toContain(apiKey);
  });

  it('is usable from a web page', async () => {
    const answer = await fetch(`${hindsight.url}/mcp`, { method: 'OPTIONS' });
    expect(answer.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    expect((await post({ 'x-api-key': apiKey }, LIST)).headers.get('access-control-allow-origin')).toBe('*');
  });
});
