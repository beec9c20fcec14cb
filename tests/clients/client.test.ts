/** The published client against a whole installation: its README's recipes, retries, cuts and errors. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { until } from '@hindsight/kernel/test/support/until.ts';
import type * as Package from '@hindsight/client';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { execFile } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readParquet } from '../../services/holders/test/support/read-parquet.ts';
import { cutAnswers } from '../support/cut-answers.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';
import { untilHoldersIndexed } from '../support/until-indexed.ts';
import { install, packedClient } from './packed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const ALICE = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';
const SAVINGS = '0x1672E7548c3545B5C5dfC7AA0E3dA1E6891c735e';
const BLOCK = 18_000_000;
const BLOCK_HASH = '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0';

const folder = mkdtempSync(join(tmpdir(), 'hindsight-client-'));
let hindsight: SharedHindsight;
let apiKey: string;
let client: typeof Package;

beforeAll(async () => {
  const place = install(await packedClient(process.env, 'typescript'), '@hindsight/client', folder);
  client = (await import(pathToFileURL(join(place, 'index.js')).href)) as typeof Package;
  hindsight = await sharedHindsight(process.env);
  apiKey = await makeFastKey(hindsight.dataDir);
  await untilHoldersIndexed(hindsight.url, apiKey);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (more: Partial<Package.ClientOptions> = {}): Package.Client =>
  client.createClient({ apiKey, url: hindsight.url, ...more });

const startCutter = (cut: (number: number) => number | undefined) => cutAnswers(hindsight.url, cut);

describe('the README', () => {
  const blocks = [
    ...readFileSync(join(ROOT, 'clients/typescript/README.md'), 'utf8').matchAll(
      /^## (.+)\n[\s\S]*?```ts\n([\s\S]*?)```/gm,
    ),
  ].map(([, heading = '', code = '']) => ({ heading, code }));

  it('has thirteen recipes', () => expect(blocks).toHaveLength(13));

  it.each(blocks)('$heading', async ({ heading, code }) => {
    const file = join(folder, `${heading.replaceAll(/[^a-z]+/gi, '-')}.mts`);
    writeFileSync(file, code);
    const env = { ...process.env, HINDSIGHT_API_KEY: apiKey, HINDSIGHT_URL: hindsight.url };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: folder, env });
    expect(stdout).not.toBe('');
  });
});

describe('networks', () => {
  it('are listed, with where each is', async () => {
    const [first, ...others] = await open().networks();
    expect(first).toMatchObject({ network_name: 'eth-mainnet', chain_id: 1, first_block: CHAIN.genesis });
    expect(others).toEqual([]);
    const blocks = await open().blocks({ date: '2023-08-26T16:21:40Z' });
    expect(blocks).toEqual([expect.objectContaining({ block_number: BLOCK, block_hash: BLOCK_HASH })]);
  });

  it('are asked by a client of their own, or row by row', async () => {
    const sepolia = open().on('sepolia');
    expect(sepolia.network).toBe('sepolia');
    const refused = 'The network sepolia is not served here; served: eth-mainnet';
    await expect(sepolia.block({ block: BLOCK })).rejects.toThrow(refused);
    const row = { token: USDC, holder: 'alice.eth', block: BLOCK };
    const [own, other] = await open().balances.batch([row, { ...row, network: 'sepolia' }]);
    expect(own).toMatchObject({ network_name: 'eth-mainnet', balance: 4_550_227_500n });
    expect(other).toMatchObject({ code: 'unknown_network', message: refused });
    expect(await sepolia.on('eth-mainnet').block({ block: BLOCK })).toMatchObject({ block_hash: BLOCK_HASH });
  });
});

describe('amounts', () => {
  it.each([
    [4550227500n, 6, '4550.2275'],
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [42n, 0, '42'],
    [42n, null, '42'],
    [-15n, 1, '-1.5'],
  ])('%s with %s decimals is %s', (amount, decimals, text) => {
    expect(client.formatUnits(amount, decimals)).toBe(text);
  });

  it('of a balance are exact', async () => {
    const answer = await open().balance.at({ token: USDC, holder: 'alice.eth', block: BLOCK });
    expect([answer.balance, answer.format(), answer.block_hash]).toEqual([
      4550227500n,
      '4550.2275',
      BLOCK_HASH,
    ]);
  });
});

describe('what contracts said a token was worth', () => {
  const ask = async (token: string) => (await open().value.reads({ token, block: 18_000_142 })).reads;

  it('is exact', async () => {
    const [read, ...others] = await ask(SAVINGS);
    expect(read).toMatchObject({ kind: 'erc4626', answer: 1_050_000_000_000_000_000n, reason: null });
    expect([read!.format(), others]).toEqual(['1.05', []]);
  });

  it('is null, with a reason, where there was no answer', async () => {
    const [read] = await ask(USDC);
    expect(read).toMatchObject({ name: 'USDC / USD', answer: null, reason: 'no_contract' });
    expect(read!.format()).toBe('');
  });
});

describe('the changes of several balances', () => {
  const question = { holder: ALICE, from: 17_999_900, to: 18_000_142 };
  const written = (change: Package.BalanceChange) => ({ ...change, format: change.format(1n) });

  it('are those of each in one list, page after page', async () => {
    const pages: Package.ChangesPage[] = [];
    const found: Package.WalletChange[] = [];
    const asked = { ...question, tokens: [USDC, 'native'], pageSize: 2 };
    const onPage = (page: Package.ChangesPage) => pages.push(page);
    for await (const change of open().balance.changesOf({ ...asked, onPage })) found.push(change);
    for (const [token, symbol] of [
      [USDC, 'USDC'],
      ['native', ''],
    ] as const) {
      const alone: unknown[] = [];
      for await (const change of open().balance.changes({ ...question, token }))
        alone.push({ ...written(change), token_address: token, token_symbol: symbol });
      const own = found.filter(({ token_address }) => token_address === token);
      expect(own.map(written)).toEqual(alone);
      expect(alone.length).toBeGreaterThan(0);
    }
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.map(({ complete }) => complete)).not.toContain(undefined);
    expect([pages[0]!.from_block, pages.at(-1)!.through_block]).toEqual([question.from, question.to]);
  });

  it('are on each page of the tokens that were chosen for the first', async () => {
    const asked: (string | null)[] = [];
    const onRequest = ({ url }: Package.Attempt): void => {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith('wallet/changes')) asked.push(searchParams.get('token_address'));
    };
    const { balance } = open({ onRequest });
    const found = await Array.fromAsync(balance.changesOf({ ...question, pageSize: 2 }));
    expect(new Set(found.map((change) => change.token_address)).size).toBeGreaterThan(1);
    const [first, second, ...others] = asked;
    expect([first, second]).toEqual([null, expect.stringMatching(/^native,0x/)]);
    expect(new Set([second, ...others]).size).toBe(1);
  });
});

it('scores of votes are floats and exact decimals, by voter', async () => {
  const usdc = { name: 'erc20-balance-of', params: { address: USDC, decimals: 6 } };
  const question = { network: 1, snapshot: BLOCK, strategies: [usdc], addresses: [ALICE] };
  const { scores, exact, blocks } = await open().scores(question);
  expect([scores, exact]).toEqual([[{ [ALICE]: 4550.2275 }], [{ [ALICE]: '4550.2275' }]]);
  expect(blocks).toMatchObject([{ block_hash: BLOCK_HASH }]);
});

it('a call over time has its values at each point, big numbers among its arguments', async () => {
  const { points } = await open().callSeries({
    target: SAVINGS,
    function: 'convertToAssets(uint256) returns (uint256)',
    args: [10n ** 18n],
    from: 18_000_140,
    to: 18_000_142,
    step: 2,
  });
  expect(points).toMatchObject([
    { block: 18_000_140 },
    { block: 18_000_142, block_hash: expect.any(String), values: ['1050000000000000000'] },
  ]);
});

describe('a block', () => {
  it('is named by its number, a date or its hash, with the same answer', async () => {
    const ask = (when: Package.When) => open().block(when);
    const answers = await Promise.all([
      ask({ block: BLOCK }),
      ask({ date: new Date('2023-08-26T16:21:40Z') }),
      ask({ blockHash: BLOCK_HASH }),
    ]);
    expect(answers.map(({ block_hash }) => block_hash)).toEqual([BLOCK_HASH, BLOCK_HASH, BLOCK_HASH]);
  });

  it('is named in one way only', async () => {
    await expect(open().block({ block: 1, date: '2023-08-26' })).rejects.toThrow('give one of');
  });
});

describe('an error', () => {
  it.each([
    [
      'of an unknown key',
      'Unauthorized',
      'key_invalid',
      { apiKey: 'hs_unknown' },
      { token: 'native', holder: 'alice.eth' },
    ],
    [
      'of a name without an address',
      'NotFound',
      'unknown_name',
      {},
      { token: 'native', holder: 'nobody.eth' },
    ],
    ['of a wrong address', 'InvalidRequest', 'invalid_parameter', {}, { token: '0x1', holder: 'alice.eth' }],
  ] as const)('%s is typed', async (_what, name, code, options, question) => {
    const asked = open({ retries: 0, ...options }).balance.at(question);
    await expect(asked).rejects.toMatchObject({ name, code, requestId: expect.any(String) });
  });

  it('of a row does not concern the others', async () => {
    const answers = await open().balances.batch([
      { token: 'native', holder: 'nobody.eth', block: BLOCK },
      { token: USDC, holder: 'alice.eth', block: BLOCK },
    ]);
    expect(answers[0]).toBeInstanceOf(client.NotFound);
    expect(answers[0]).toMatchObject({ code: 'unknown_name' });
    expect(answers[1]).toMatchObject({ balance: 4550227500n });
  });

  it('of a connection is repeated, then thrown', async () => {
    const cutter = await startCutter(() => 10);
    const attempts: number[] = [];
    const cut = open({ url: cutter.url, retries: 2, onResponse: ({ attempt }) => attempts.push(attempt) });
    await expect(cut.usage()).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(cutter.requests()).toBe(3);
    expect(attempts).toEqual([1, 2, 3]);
    cutter.server.close();
  });

  it.each([408, 425, 503])('of status %i is repeated, and leaves nothing at the signal', async (status) => {
    const outcomes: Package.Outcome[] = [];
    const { signal } = new AbortController();
    const fetch = (): Promise<Response> =>
      Promise.resolve(outcomes.length === 0 ? new Response('', { status }) : Response.json({ used: 1 }));
    const asked = open({ fetch, onResponse: (_attempt, outcome) => outcomes.push(outcome) }).usage(signal);
    expect(await asked).toEqual({ used: 1 });
    expect(outcomes.map((outcome) => [outcome.status, 'units' in outcome])).toEqual([
      [status, false],
      [200, false],
    ]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    ['in seconds', '3600'],
    ['as a date', new Date(Date.now() + 3_600_000).toUTCString()],
    ['beyond all dates', '9'.repeat(30)],
  ])('of a limit is thrown at once where the wait is longer than wanted: %s', async (_how, wait) => {
    const server = createServer((_request, answer) => {
      answer.writeHead(429, { 'retry-after': wait }).end('{"message": "Monthly limit exceeded"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failure = await open({ url })
      .usage()
      .then(
        () => undefined,
        (error: unknown) => error as Package.RateLimited,
      );
    expect(failure).toBeInstanceOf(client.RateLimited);
    expect(failure!.retryAt!.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    server.close();
  });

  it('of a caller that aborts is its own reason', async () => {
    const reason = new Error('enough');
    await expect(open().usage(AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it.each([
    ['that is no JSON', 200, {}, { name: 'InvalidAnswer', message: expect.stringContaining('is not JSON') }],
    [
      'that redirects',
      301,
      { location: 'https://elsewhere/' },
      { name: 'InvalidRequest', message: expect.stringContaining('https://elsewhere/') },
    ],
  ])('of an answer %s is thrown at once', async (_what, status, headers, error) => {
    let requests = 0;
    const server = createServer((_request, answer) => {
      requests += 1;
      answer.writeHead(status, headers).end('<html>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(open({ url }).usage()).rejects.toMatchObject(error);
    expect(requests).toBe(1);
    server.close();
  });

  it.each<[string, ResponseInit, (of: Package.Client) => Promise<unknown>]>([
    ['null', {}, (of) => of.usage()],
    ['5', {}, (of) => of.balance.at({ token: USDC, holder: ALICE })],
    ['null\n', {}, (of) => of.snapshot([ALICE], { token: USDC }).next()],
    ['null\n', {}, (of) => of.holders.list({ token: USDC }).next()],
    ['id: 1\nevent: order-received\ndata: null\n\n', {}, (of) => of.orders.stream().next()],
    ['PAR1', { headers: { 'x-holders-facts': 'null' } }, (of) => of.holders.file({ token: USDC })],
  ])('of an answer without an object is the client’s own: %j', async (answer, init, ask) => {
    const fetch = (): Promise<Response> => Promise.resolve(new Response(answer, init));
    await expect(ask(open({ fetch }))).rejects.toMatchObject({ name: 'InvalidAnswer' });
  });

  it('of the API’s absence does not end a stream of orders that has begun', async () => {
    const texts = [
      'id: /orders/x:1\n\n',
      ...Array<undefined>(3),
      'id: /orders/x:2\nevent: order-received\ndata: {}\n\n',
    ].values();
    const fetch = (): Promise<Response> => {
      const text = texts.next().value;
      return text === undefined
        ? Promise.reject(new TypeError('refused'))
        : Promise.resolve(new Response(text));
    };
    for await (const { id } of open({ retries: 1, fetch }).orders.stream({ lastEventId: '/orders/x:1' })) {
      expect(id).toBe('/orders/x:2');
      break;
    }
    const never = open({ retries: 1, fetch: () => Promise.reject(new TypeError('refused')) });
    await expect(never.orders.stream().next()).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it.each(['onRequest', 'onResponse'])('of the caller’s %s is its own, and not repeated', async (hook) => {
    const error = new Error('a fault of the caller');
    const thrown = jest.fn(() => {
      throw error;
    });
    await expect(open({ [hook]: thrown }).usage()).rejects.toBe(error);
    expect(thrown).toHaveBeenCalledTimes(1);
  });

  it.each(['hs_se\ncret', 'hs_secret…'])('of a key that cannot be sent does not quote it: %j', (key) => {
    const refused = 'apiKey has characters that no key has';
    expect(() => open({ apiKey: key })).toThrow(new TypeError(refused));
  });

  it.each([
    '127.0.0.1:8080',
    'localhost:8080',
    'http://me:secret@127.0.0.1',
    'http://127.0.0.1/?a=1',
    'http://127.0.0.1/?',
    'http://127.0.0.1/#',
    '',
  ])('of a URL that cannot be asked does not wait for a request: %j', (url) => {
    expect(() => open({ url })).toThrow(
      new TypeError('url: expected http:// or https://, and no password, ? or #'),
    );
  });

  it('is none for a page that names its own server by a path, whatever its own address is', () => {
    const page = { href: 'http://127.0.0.1/page?a=1#b' };
    Object.defineProperty(globalThis, 'location', { value: page, configurable: true });
    try {
      for (const url of ['', '/api/']) expect(() => open({ url })).not.toThrow();
      expect(() => open({ url: '/api?' })).toThrow(TypeError);
    } finally {
      Reflect.deleteProperty(globalThis, 'location');
    }
  });

  it.each(['\uFEFF', '\u00A0', '\v', ' ', '\n'])(
    'is none for a key and a URL with %j around them',
    async (mark) => {
      const around = (text: string): string => mark + text + mark;
      const asked = open({ apiKey: around(apiKey), url: around(hindsight.url), retries: 0 });
      expect(await asked.usage()).toMatchObject({ plan: 'enterprise' });
    },
  );
});

describe('time', () => {
  const headers = { 'x-holders-facts': '{}' };
  /** Longer than the client waits for the API. */
  const linger = (): Promise<void> => sleep(60);

  it('of a slow reader is not the API’s', async () => {
    let requests = 0;
    // Answers at once, so that only the caller takes time.
    const fetch: typeof globalThis.fetch = (_url, init) => {
      requests += 1;
      const parts = ['PAR', 'QUE', 'PAR1'].values().map((part) => {
        init!.signal!.throwIfAborted();
        return Buffer.from(part);
      });
      return Promise.resolve(new Response(ReadableStream.from(parts), { headers }));
    };
    const { bytes } = await open({ timeoutMs: 20, fetch }).holders.file({ token: USDC });
    let read = '';
    for await (const part of bytes) {
      await linger();
      read += String(Buffer.from(part));
    }
    expect([read, requests]).toEqual(['PARQUEPAR1', 1]);
  });

  it('without orders is not the API’s: an opening costs a unit', async () => {
    let requests = 0;
    const order = 'id: /orders/x:2\nevent: order-received\ndata: {}\n\n';
    const fetch: typeof globalThis.fetch = (_url, init) => {
      requests += 1;
      const parts = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('id: /orders/x:1\n\n');
        await linger();
        init!.signal!.throwIfAborted();
        yield Buffer.from(order);
      };
      return Promise.resolve(new Response(ReadableStream.from(parts())));
    };
    for await (const { id } of open({ timeoutMs: 20, retries: 0, fetch }).orders.stream()) {
      expect([id, requests]).toEqual(['/orders/x:2', 1]);
      break;
    }
  });

  it.each([
    ['the caller aborts', { timeoutMs: 600_000 }, 'enough'],
    ['the API is late', { timeoutMs: 20 }, 'no answer within 20 ms'],
  ])('of an answer that never ends, not even aborted, ends where %s', async (_what, options, message) => {
    const left = new AbortController();
    const stuck = new ReadableStream({ start: (body) => body.enqueue(Buffer.from('PAR1')) });
    const fetch = (): Promise<Response> => Promise.resolve(new Response(stuck, { headers }));
    const { signal } = left;
    const { bytes } = await open({ fetch, ...options }).holders.file({ token: USDC, signal });
    const all = Array.fromAsync(bytes);
    if (message === 'enough') left.abort(new Error(message));
    await expect(all).rejects.toThrow(message);
  });

  it('is waited for without an end, where the caller wants that', async () => {
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      await linger();
      init!.signal!.throwIfAborted();
      return Response.json({ plan: 'free' });
    };
    expect(await open({ timeoutMs: Infinity, fetch }).usage()).toEqual({ plan: 'free' });
  });

  it('until a limit of the month ends is longer than a timer', async () => {
    let requests = 0;
    const limited = { status: 429, headers: { 'retry-after': `${31 * 86_400}` } };
    const fetch = (): Promise<Response> => {
      requests += 1;
      return Promise.resolve(Response.json({ message: 'Monthly limit exceeded' }, limited));
    };
    const left = new AbortController();
    const asked = open({ maxRetryWaitMs: Infinity, fetch }).usage(left.signal);
    await linger();
    left.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
    expect(requests).toBe(1);
  });
});

/** An answer that comes byte by byte. */
const byByte = (text: string): Response =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const byte of Buffer.from(text)) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    }),
  );

it('events of a stream are the same in whatever parts they come, and with any line ends', async () => {
  const event = 'id: 7\r\nevent: order-received\r\ndata: {"type":\r\ndata:  "Größe"}\r\n\r\n';
  const orders = open({ fetch: () => Promise.resolve(byByte(event)) }).orders.stream();
  expect((await orders.next()).value).toEqual({ id: '7', type: 'order-received', order: { type: 'Größe' } });
  await orders.return(undefined);
});

describe('a snapshot', () => {
  const holders = Array.from({ length: 2_500 }, (_, i) =>
    i % 500 === 7 ? 'alice.eth' : `0x${(i + 1).toString(16).padStart(40, '0')}`,
  );

  async function collect(of: Package.Client): Promise<Package.SnapshotRow[]> {
    const rows: Package.SnapshotRow[] = [];
    for await (const row of of.snapshot(holders, { token: USDC, block: BLOCK, chunk: 1_000 })) rows.push(row);
    return rows;
  }

  it('answers every holder in order, over several requests', async () => {
    const rows = await collect(open());
    expect(rows).toHaveLength(holders.length);
    expect(rows.filter(({ balance }) => balance === 4550227500n)).toHaveLength(5);
    expect(rows[0]!.holder.toLowerCase()).toBe(holders[0]);
  });

  it('that is cut again and again is the same', async () => {
    const cutter = await startCutter((number) => (number % 4 === 0 ? undefined : 20_000 * (number % 4)));
    const cut = await collect(open({ url: cutter.url, retries: 20 }));
    expect(cut.map(({ holder, balance }) => [holder, balance])).toEqual(
      (await collect(open())).map(({ holder, balance }) => [holder, balance]),
    );
    expect(cutter.requests()).toBeGreaterThan(3);
    cutter.server.close();
  });

  /** The lines of an answer about one holder, who has an error. */
  const linesOf = (block_hash: string): string =>
    [
      { record: 'facts', block_hash, tokens: [] },
      { record: 'error', line: 1, holder: 'a.eth', error: { statusCode: 404, message: 'Größe' } },
      { record: 'end', holders: 1, sum: '0' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');

  it('is the same in whatever parts it comes; all parts of a list are of one block', async () => {
    const answers = ['0x1', '0x2'].map((hash) => byByte(linesOf(hash)));
    const fetch = (): Promise<Response> => Promise.resolve(answers.shift()!);
    const rows = open({ fetch }).snapshot(['a.eth', 'a.eth'], { token: USDC, chunk: 1 });
    const { value } = await rows.next();
    expect((value as Package.SnapshotRow).error?.message).toBe('Größe');
    await expect(rows.next()).rejects.toMatchObject({ name: 'InvalidAnswer' });
  });

  it('that is cut before its first row each time is given up', async () => {
    let requests = 0;
    const fetch = (): Promise<Response> => ((requests += 1), Promise.resolve(new Response('')));
    const rows = open({ fetch, retries: 1 }).snapshot(['a.eth'], { token: USDC });
    await expect(rows.next()).rejects.toMatchObject({ name: 'ConnectionError' });
    expect(requests).toBe(2);
  });

  it('that is cut before its end asks for its last row again: its records have an end', async () => {
    const whole = linesOf('0x1');
    const answers = [whole.slice(0, whole.indexOf('{"record":"end"')), whole];
    const bodies: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      bodies.push(init?.body);
      return new Response(answers.shift());
    };
    const records: string[] = [];
    const onRecord = ({ record }: { record: string }) => records.push(record);
    const rows = await Array.fromAsync(open({ fetch }).snapshot(['a.eth'], { token: USDC, onRecord }));
    expect(rows.map(({ holder }) => holder)).toEqual(['a.eth']);
    expect([bodies, records]).toEqual([
      ['a.eth\n', 'a.eth\n'],
      ['facts', 'facts', 'error', 'end'],
    ]);
  });

  it('with a row more than was asked for is refused at once: none of them is kept', async () => {
    let taken = 0;
    const [facts = '', row = ''] = linesOf('0x1').split(/(?<=\n)/);
    const endless = function* (): Generator<Buffer> {
      yield Buffer.from(facts);
      for (; taken < 100; taken++) yield Buffer.from(row.replace('"line":1', `"line":${taken + 1}`));
    };
    const fetch = async (): Promise<Response> => new Response(ReadableStream.from(endless()));
    const rows = open({ fetch, retries: 0 }).snapshot(['a.eth'], { token: USDC });
    await expect(rows.next()).rejects.toMatchObject({ name: 'InvalidAnswer' });
    expect(taken).toBeLessThan(10);
  });

  it('with more rows than a request takes is refused: no row is given the error of the body', async () => {
    const message = 'body: it has more than 1 rows; the rest is not read';
    const error = { statusCode: 413, code: 'body_too_large', message };
    const [facts = '', row = ''] = linesOf('0x1').split(/(?<=\n)/);
    const refused = row.replace(/"error":\{[^}]*\}/, `"error":${JSON.stringify(error)}`);
    const fetch = async (): Promise<Response> => new Response(facts + refused);
    const rows = open({ fetch }).snapshot(['a.eth', 'b.eth'], { token: USDC });
    await expect(rows.next()).rejects.toMatchObject({ name: 'InvalidRequest', status: 413, message });
  });

  it('of several tokens gives each by the name it was asked by', async () => {
    const tokens = [USDC.toLowerCase(), 'native'];
    const rows = open().snapshot(['alice.eth'], { token: tokens, block: BLOCK });
    const { value } = await rows.next();
    expect([...(value as Package.SnapshotRow).balances.keys()]).toEqual(tokens);
    // A generator that is left without its end keeps its connection.
    await rows.return(undefined);
  });
});

describe('the holders of a token', () => {
  /** Every holder, and what the client says of them. */
  async function collect(of: Package.Client, more: Partial<Package.HoldersQuestion> = {}) {
    const list: [string, bigint | undefined][] = [];
    const told: { facts: Package.HolderFacts[]; totals: Package.HolderTotals[] } = { facts: [], totals: [] };
    const rows = of.holders.list({
      token: USDC,
      block: BLOCK,
      onFacts: (facts) => told.facts.push(facts),
      onTotals: (totals) => told.totals.push(totals),
      ...more,
    });
    for await (const { holder, balance } of rows) list.push([holder, balance]);
    return { list, ...told };
  }

  it('come in the order of addresses, with the sum beside the total supply', async () => {
    const { list, facts, totals } = await collect(open());
    expect(list).toHaveLength(21);
    expect(list).toContainEqual([ALICE, 4550227500n]);
    expect(list.map(([holder]) => holder.toLowerCase())).toEqual(
      list.map(([holder]) => holder.toLowerCase()).sort(),
    );
    expect(facts).toMatchObject([{ block_hash: BLOCK_HASH, index: { complete: true } }]);
    const sum = 1406495000000n;
    expect(totals).toEqual([{ holders: 21, errors: 0, sum, totalSupply: sum }]);
  });

  it('are the same where each request reads few, and is cut again and again', async () => {
    const whole = await collect(open());
    const cutter = await startCutter((number) => (number % 3 === 0 ? undefined : 300 * (number % 3) + 300));
    const cut = await collect(open({ url: cutter.url, retries: 20 }), { chunk: 6 });
    cutter.server.close();
    expect(cut).toEqual({ ...whole, facts: [expect.objectContaining({ block_hash: BLOCK_HASH })] });
    expect(cutter.requests()).toBeGreaterThan(5);
  });

  it('are the same where each request is sent before the one before it has ended, however often it is cut', async () => {
    const whole = await collect(open());
    const sent: string[] = [];
    const onRequest = ({ url }: { url: string }): void => void sent.push(url);
    const ahead = await collect(open({ onRequest }), { chunk: 6, ahead: true });
    expect(ahead).toEqual({ ...whole, facts: [expect.objectContaining({ block_hash: BLOCK_HASH })] });
    // Each once, though it was sent early: all but the first name the block's hash.
    expect(sent.length).toBe(new Set(sent).size);
    expect(sent.slice(1).every((url) => url.includes(BLOCK_HASH))).toBe(true);
    const cutter = await startCutter((number) => (number % 3 === 0 ? undefined : 300 * (number % 3) + 300));
    const cut = await collect(open({ url: cutter.url, retries: 20 }), { chunk: 6, ahead: true });
    cutter.server.close();
    expect(cut).toEqual(ahead);
  });

  it('are of one index: a list whose index begins at another block meanwhile is refused', async () => {
    let requests = 0;
    const moved: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if ((requests += 1) === 1) return answer;
      const text = await answer.text();
      return new Response(text.replace(/"from_block":\d+/, '"from_block":17999000'), answer);
    };
    await expect(collect(open({ fetch: moved }), { chunk: 6 })).rejects.toMatchObject({
      name: 'InvalidAnswer',
      message: expect.stringContaining('the index begins at block 17999000'),
    });
  });

  it('that are left early leave the request that was sent ahead, and no timer of it', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const signals: AbortSignal[] = [];
    const watched: typeof fetch = (url, init) => (signals.push(init!.signal!), fetch(url, init));
    const before = timers();
    // Longer than the test waits.
    const client = open({ fetch: watched, timeoutMs: 600_000 });
    const rows = client.holders.list({ token: USDC, block: BLOCK, chunk: 3, ahead: true });
    await rows.next();
    await until('the next one was sent', () => signals.length === 2);
    await rows.return();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    await until('its timers are gone', () => timers() <= before);
  });

  it('come and can be aborted where signals cannot be joined, as in Node 20.0', async () => {
    const joined = jest.spyOn(AbortSignal, 'any').mockImplementation(() => {
      throw new TypeError('AbortSignal.any is not a function');
    });
    const left = new AbortController();
    const question = { token: USDC, block: BLOCK, chunk: 3, signal: left.signal };
    const rows = open().holders.list(question);
    expect((await rows.next()).done).toBe(false);
    const reason = new Error('enough');
    left.abort(reason);
    await expect(Array.fromAsync(rows)).rejects.toBe(reason);
    await expect(open().holders.page(question)).rejects.toBe(reason);
    joined.mockRestore();
  });

  it('come in pages, of which each says where the next begins', async () => {
    const first = await open().holders.page({ token: USDC, block: BLOCK, chunk: 10 });
    expect(first.next).not.toBeNull();
    const rest = await open().holders.page({ token: USDC, block: BLOCK, after: first.next ?? '' });
    expect([...first.holders, ...rest.holders].map(({ holder, balance }) => [holder, balance])).toEqual(
      (await collect(open())).list,
    );
  });

  it('in a file that is left at its first part leave the answer as well', async () => {
    const signals: AbortSignal[] = [];
    const start = (answer: ReadableStreamDefaultController): void => answer.enqueue(Buffer.from('PAR1'));
    const unending: typeof fetch = async (_url, init) => {
      signals.push(init!.signal!);
      return new Response(new ReadableStream({ start }), { headers: { 'x-holders-facts': '{}' } });
    };
    const { bytes } = await open({ fetch: unending }).holders.file({ token: USDC });
    for await (const part of bytes) {
      expect(String(part)).toBe('PAR1');
      break;
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('in a file that ends early are no whole answer, though a proxy ends it as one', async () => {
    const read = async (answer: Response) => {
      answer.headers.set('x-holders-facts', '{}');
      const { bytes } = await open({ fetch: async () => answer }).holders.file({ token: USDC });
      return Buffer.concat(await Array.fromAsync(bytes)).toString();
    };
    expect(await read(byByte('PAR1 and PAR1'))).toBe('PAR1 and PAR1');
    await expect(read(byByte('PAR1 and PAR'))).rejects.toMatchObject({ name: 'ConnectionError' });
    await expect(read(new Response('PAR'))).rejects.toMatchObject({ name: 'ConnectionError' });
  });

  it('come largest first, with their shares of the supply', async () => {
    const { holders, holder_count, sum, total_supply } = await open().holders.largest({
      token: USDC,
      block: BLOCK,
      limit: 2,
    });
    expect([holder_count, sum, total_supply]).toEqual([21, 1406495000000n, 1406495000000n]);
    expect(holders).toHaveLength(2);
    expect(holders[0]!.balance).toBeGreaterThan(holders[1]!.balance);
    expect(holders[0]!.format()).toMatch(/^\d+(\.\d+)?$/);
    expect(holders[0]!.share_ppm).toBe(Number((holders[0]!.balance * 1_000_000n) / total_supply!));
  });

  it('come as a file, or as files that are the whole list together', async () => {
    const read = async (question: Partial<Package.HoldersFileQuestion> = {}) => {
      const { facts, bytes } = await open().holders.file({ token: USDC, block: BLOCK, ...question });
      const parts: Uint8Array[] = [];
      for await (const part of bytes) parts.push(part);
      return { facts, bytes: Buffer.concat(parts) };
    };
    const { facts, bytes } = await read();
    expect(facts).toMatchObject({ block_hash: BLOCK_HASH, holders: 21, next: null });
    expect([bytes.subarray(0, 4), bytes.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1']);
    const { list } = await collect(open());
    const rows = (await readParquet(bytes)).rows;
    expect(rows.map(([holder, balance]) => [holder, BigInt(balance as string)])).toEqual(list);
    const first = await read({ limit: 10 });
    const rest = await read({ after: first.facts.next ?? '' });
    expect(first.facts.holders + rest.facts.holders).toBe(21);
  });

  it('are of one id, where one is named', async () => {
    const { holders } = await open().holders.page({
      token: '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D',
      tokenId: 100,
      block: BLOCK,
    });
    expect(holders.map(({ balance }) => balance)).toEqual([1n]);
  });

  it.each([
    ['an order that is another', (rows: string[]) => [rows[0], rows[2], rows[1], ...rows.slice(3)]],
    ['a holder left out', (rows: string[]) => rows.toSpliced(2, 1)],
    ['another balance', (rows: string[]) => rows.map((row) => row.replace('"balance":"9', '"balance":"8'))],
    ['no facts', (rows: string[]) => rows.slice(1)],
    ['no end to it', (rows: string[]) => rows.map((row) => row.replace('"next":null', '"next":"0x00"'))],
  ])('are refused with %s', async (_what, alter) => {
    const altered = async (...asked: Parameters<typeof fetch>): Promise<Response> => {
      const answer = await fetch(...asked);
      return new Response(alter((await answer.text()).trimEnd().split('\n')).join('\n') + '\n');
    };
    await expect(collect(open({ fetch: altered }))).rejects.toMatchObject({ name: 'InvalidAnswer' });
  });
});
