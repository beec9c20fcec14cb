/** Words of the command line for what is not known: it is not said to be nothing. */
import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../clients/cli/src/run.ts';

const TOKEN = `0x${'1a'.repeat(20)}`;
const PINNED = { checked_at_block: 7, block_hash: `0x${'ab'.repeat(32)}` };

/** Text that a command prints where the API answers everything with a record. */
const printedBy = async (...asked: Parameters<typeof answeredBy>): Promise<string> =>
  (await answeredBy(...asked)).printed;

/** The same, and its notes. @param record may depend on the query */
async function answeredBy(
  words: string,
  record: Readonly<Record<string, unknown>> | ((query: URLSearchParams) => object),
  input = '',
) {
  const server = createServer(({ url }, response) => {
    const { searchParams } = new URL(url!, 'http://api');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(typeof record === 'function' ? record(searchParams) : record));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const env = { HINDSIGHT_URL: `http://127.0.0.1:${port}`, HINDSIGHT_API_KEY: 'hs_key' };
  const printed = text(stdout);
  const code = await run(words.split(' '), {
    env,
    stdin,
    stdout,
    stderr,
    signal: new AbortController().signal,
  });
  stdout.end();
  server.close();
  server.closeAllConnections();
  const notes = String(stderr.read() ?? '');
  expect([code, notes]).toEqual([0, expect.not.stringContaining('rror')]);
  return { printed: await printed, notes };
}

it('a change to a balance that the token did not tell', async () => {
  const change = { block: 5, cause: 'state', balance_before: '1', balance_after: null, transactions: [] };
  const first = { after_block: 4, by_block: 6, difference: '1', cause: null, block: null, changes: [change] };
  const record = { equal: false, rows: [], first_divergence: { ...first, complete: true } };
  const printed = await printedBy(`reconcile ${TOKEN} ${TOKEN}`, record, '6,1\n');
  expect(printed).toContain('block 5  1 -> not known  state');
});

it.each([
  ['nothing is open', true, []],
  ['nothing open was found', false, []],
  ['nothing open was found', true, [{ token_address: TOKEN, spender: TOKEN, reason: 'no_answer' }]],
])(
  'approvals: %s, of a search that is complete: %s, with what could not be read: %j',
  async (words, complete, unread) => {
    const asked = { how: 'logs', from_block: 1, complete, pairs: 1, unread, cut: [] };
    const printed = await printedBy(`allowances ${TOKEN}`, { ...PINNED, allowances: [], asked, next: null });
    expect(printed.split('\n')[0]).toBe(words);
  },
);

it('what gave no answer is a row of CSV, without an amount and with the reason', async () => {
  const searched = { how: 'logs', from_block: 1, complete: false };
  const unread = [{ token_address: TOKEN, spender: TOKEN, reason: 'no_answer' }];
  const open = { allowances: [], asked: { ...searched, pairs: 1, unread, cut: [] }, next: null };
  const approvals = await printedBy(`allowances ${TOKEN} --csv`, { ...PINNED, ...open });
  expect(approvals).toContain(`\n${TOKEN},,${TOKEN},,,7,${PINNED.block_hash},,,,no_answer,false\n`);
  const asked = { ...searched, tokens: [TOKEN], token_ids: 0, unread: [TOKEN] };
  const held = await printedBy(`portfolio ${TOKEN} --csv`, {
    ...{ ...PINNED, native_balance: '3', tokens: [], next: null },
    asked: { ...asked, unread_reasons: { [TOKEN]: 'too_costly' } },
  });
  expect(held).toContain(`\n${TOKEN},,,,,7,${PINNED.block_hash},too_costly,false\n`);
});

it.each([
  ['erc4626', null, '1050 USD (decimals not known)', ',1050,,USD,'],
  ['chainlink', 2, '10.5 USD', ',1050,10.5,USD,'],
  ['uniswap-v3-twap', null, '1050 mean tick', ',1050,1050,USD,'],
])('a reading of %s with %s decimals is %s', async (kind, decimals, words, cells) => {
  const read = { kind, decimals, name: 'a row', answer: '1050', quote: 'USD', reason: null };
  const record = { ...PINNED, reads: [{ ...read, call: 'c()', contract: TOKEN, source: null }] };
  expect(await printedBy(`value ${TOKEN}`, record)).toContain(`a row  ${words}  c() of`);
  expect(await printedBy(`value ${TOKEN} --csv`, record)).toContain(cells);
});

it('a key whose name is a formula is a cell of CSV', async () => {
  const breakdown = [{ date: '2026-11-01', name: '=1+1, "x"', requests: 3 }];
  expect(await printedBy('usage --by key --csv', { breakdown })).toBe(
    'date,key,requests\n2026-11-01,"\'=1+1, ""x""",3\n',
  );
});

it.each([
  ['2020-02', '2020-03-01', 'used        7 units in 2020-02\n'],
  ['2999-12', '3000-01-01', 'used        7 of 100 units\nleft        93 until 3000-01-01\n'],
])(
  'usage in %s: a past month has no rest, and today’s limit says nothing of it',
  async (month, end, words) => {
    const requests = { used: 7, limit: 100, remaining: 93 };
    const period = { start: `${month}-01T00:00:00.000Z`, end: `${end}T00:00:00.000Z` };
    const record = { plan: 'free', period, requests, orders: { received: 0 } };
    expect(await printedBy(`usage --month ${month}`, record)).toBe(
      `plan        free\n${words}orders      0 received\n`,
    );
  },
);

const token = { token_address: TOKEN, token_type: 'erc20', symbol: 'T', name: 'T', block_height: 1 };
const order = { receivedAt: 'now', orderHash: '0x1', order: { type: 'Limit', swapper: TOKEN }, state: {} };

it.each([
  ['token T', { tokens: Array.from({ length: 21 }, () => token) }, 20],
  ['orders list', { orders: Array.from({ length: 101 }, () => order) }, 100],
])(
  '%s says that there are more than it prints, where it was not asked for a number',
  async (words, page, most) => {
    const record = { ...page, next: null };
    const { printed, notes } = await answeredBy(words, record);
    expect([printed.split('\n').length - 1, notes]).toEqual([
      most,
      `there are more than ${most}: see --limit\n`,
    ]);
    expect((await answeredBy(`${words} --limit 2`, record)).notes).toBe('');
  },
);

it('token needs one request to know that there are more', async () => {
  const asked: number[] = [];
  const { notes } = await answeredBy('token T', (query) => {
    const limit = Number(query.get('limit'));
    asked.push(limit);
    return { tokens: Array.from({ length: limit }, () => token), next: '/next' };
  });
  expect([asked, notes]).toEqual([[21], 'there are more than 20: see --limit\n']);
});

it.each([
  ['supply', { ...PINNED, total_supply: '5', token_decimals: 0, token_symbol: 'T' }],
  ['code', { ...PINNED, code_size: 0, code_hash: null }],
  ['value', { ...PINNED, reads: [] }],
])('%s says that its block is not final yet', async (command, record) => {
  const printed = (finalized: boolean) => printedBy(`${command} ${TOKEN}`, { ...record, finalized });
  expect(await printed(false)).toMatch(/block 7, not final yet\n$/);
  expect(await printed(true)).toMatch(/block 7\n$/);
});

it.each([
  ['series', { points: [] }],
  ['statement', { periods: [], complete: true }],
])('%s says that its last rows are not final yet', async (command, record) => {
  const notes = async (finalized: boolean) =>
    (
      await answeredBy(`${command} ${TOKEN} ${TOKEN} --from 17999990`, {
        ...record,
        token_decimals: 0,
        finalized,
      })
    ).notes;
  expect(await notes(false)).toBe('not final yet: a reorganisation may change the last rows\n');
  expect(await notes(true)).toBe('');
});
