import { describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { request, type ClientRequest } from 'node:http';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import { askSnapshot, snapshotPath, type SnapshotAnswer } from '../../test/support/snapshots.ts';

const { ledger } = buildPlan();
const { alice, bob, market } = HOLDERS;
const USDC = TOKENS.usdc.address;
const UNI = TOKENS.uni.address;
const HEIGHT = 18_000_000;
const AT = { token_address: USDC, block_height: String(HEIGHT) };

const balance = forAllTests(runOnDevchain, 'stop');

const ask = (
  body: string | Uint8Array<ArrayBuffer>,
  query: Record<string, string> = AT,
  headers: Record<string, string> = {},
): Promise<SnapshotAnswer> => askSnapshot(balance.url + snapshotPath(query), body, headers);

const usdcOf = (holder: string, height = HEIGHT): string => ledger.balanceAt(USDC, holder, height).toString();
const balanceRecord = (line: number, holder: string): object => ({
  record: 'balance',
  line,
  holder,
  balance: usdcOf(holder),
});

describe('POST balance/snapshot', () => {
  it('answers the facts, each row in the order of the body, and an end', async () => {
    const { status, headers, records } = await ask(`${alice}\n${bob.toLowerCase()}\n${alice}\n`);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(records).toEqual([
      {
        record: 'facts',
        network_name: 'eth-mainnet',
        chain_id: 1,
        tokens: [
          {
            token_address: USDC,
            token_name: 'USD Coin',
            token_symbol: 'USDC',
            token_type: 'erc20',
            token_decimals: 6,
          },
        ],
        checked_at_block: HEIGHT,
        checked_at_date: '2023-08-26T16:21:35.000Z',
        block_hash: '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0',
        finalized: true,
      },
      balanceRecord(1, alice),
      balanceRecord(2, bob),
      balanceRecord(3, alice),
      {
        record: 'end',
        holders: 3,
        errors: 0,
        sum: (2n * BigInt(usdcOf(alice)) + BigInt(usdcOf(bob))).toString(),
        units: 1,
      },
    ]);
  });

  it('answers several tokens and ether at once', async () => {
    const tokens = [UNI, 'native', TOKENS.bayc.address];
    const { records } = await ask(`${alice}\n${market}`, { ...AT, token_address: tokens.join(',') });
    const balancesOf = (holder: string): Record<string, string> => ({
      [UNI]: ledger.balanceAt(UNI, holder, HEIGHT).toString(),
      native: ledger.nativeAt(holder, HEIGHT).toString(),
      [TOKENS.bayc.address]: ledger.balanceAt(TOKENS.bayc.address, holder, HEIGHT).toString(),
    });
    const [hers, its] = [balancesOf(alice), balancesOf(market)];
    const sum = Object.fromEntries(
      tokens.map((token) => [token, (BigInt(hers[token]!) + BigInt(its[token]!)).toString()]),
    );
    expect(records).toMatchObject([
      { tokens: [{ token_symbol: 'UNI' }, { token_address: 'native' }, { token_type: 'erc721' }] },
      { record: 'balance', line: 1, holder: alice, balances: hers },
      { record: 'balance', line: 2, holder: market, balances: its },
      { record: 'end', holders: 2, errors: 0, sum, units: 3 },
    ]);
    const repeated = tokens.map((token) => `token_address=${token}`).join('&');
    const path = `/v1/eth-mainnet/balance/snapshot?${repeated}&block_height=${HEIGHT}`;
    expect((await askSnapshot(balance.url + path, `${alice}\n${market}`)).records).toEqual(records);
  });

  it.each([
    ['a date', { date: '2023-08-26T16:21:40Z' }, HEIGHT],
    ['no block', {}, CHAIN.head],
  ])('takes %s, and its hash names the same block later', async (_what, when, height) => {
    const first = await ask(alice, { token_address: USDC, ...when });
    expect(first.records).toMatchObject([
      { checked_at_block: height },
      { balance: usdcOf(alice, height) },
      { record: 'end' },
    ]);
    const hash = first.records[0]!.block_hash as string;
    const again = await ask(alice, { token_address: USDC, block_hash: hash });
    expect(again.records).toEqual(first.records);
  });

  it('resolves names at its block; of 101 the last is an error of its row', async () => {
    const names = Array.from({ length: 98 }, (_, i) => `nobody-${i}.eth`);
    const body = ['alice.eth', 'treasury.eth', ...names, 'one-more.eth', 'alice.eth'].join('\n');
    const { records } = await ask(body);
    expect(records.slice(1, 3)).toEqual([
      balanceRecord(1, alice),
      balanceRecord(2, ledger.nameAt('treasury.eth', HEIGHT)!),
    ]);
    expect(records[3]).toMatchObject({
      record: 'error',
      line: 3,
      holder: 'nobody-0.eth',
      error: {
        statusCode: 404,
        code: 'unknown_name',
        message: expect.stringMatching(/^holder: the name nobody-0.eth has no address/),
      },
    });
    expect(records.slice(-3)).toMatchObject([
      {
        line: 101,
        error: { statusCode: 422, code: 'too_many_names', message: expect.stringMatching(/may have 100$/) },
      },
      balanceRecord(102, alice),
      { record: 'end', holders: 102, errors: 99, units: 2 },
    ]);
  });

  it.each<[string, string, string | Uint8Array<ArrayBuffer>, unknown[]]>([
    ['mixed line ends and blank lines', 'text/plain', `\r\n${alice}\r\n \t\n${bob}\n\n`, [2, 4]],
    ['a byte order mark', 'text/plain', `\ufeff${alice}\n${bob}`, [1, 2]],
    ['blanks around holders', 'text/plain; charset=utf-8', ` ${alice} \n\t${bob}\t\r\n`, [1, 2]],
    ['CSV with a header', 'text/csv', `wallet,amount\n${alice},1\n${bob},"2,5"\n`, [2, 3]],
    ['CSV without one', 'text/csv', `${alice},1\n${bob}\n`, [1, 2]],
    [
      'CSV with quotes and a byte order mark',
      'text/csv',
      `\ufeff"the ""wallet""",x\r\n"${alice}","a""b"\r\n" ${bob} "`,
      [2, 3],
    ],
    ['NDJSON', 'application/x-ndjson', `"${alice}"\n{"id":7,"holder":"${bob}"}\n`, [1, 2]],
  ])('reads %s', async (_what, type, body, lines) => {
    const { records } = await ask(body, AT, { 'content-type': type });
    expect(records.slice(1, -1)).toEqual([
      { ...balanceRecord(0, alice), line: lines[0] },
      { ...balanceRecord(0, bob), line: lines[1] },
    ]);
    expect(records.at(-1)).toMatchObject({ record: 'end', holders: 2, errors: 0 });
  });

  it.each<[string, string, string | Buffer<ArrayBuffer>, RegExp]>([
    ['a word', 'text/plain', 'alice', /^holder: .*or an ENS name$/],
    ['a short address', 'text/plain', '0x1234', /^holder: expected 0x and 40 hexadecimal digits, not 4$/],
    ['a wrong checksum', 'text/plain', alice.replace('E', 'e'), /^holder: its checksum/],
    ['two holders', 'text/plain', `${alice} ${bob}`, /^holder: /],
    [
      'bytes that are no UTF-8',
      'text/plain',
      Buffer.from([0x30, 0x78, 0xff]),
      /^holder: the line is not valid UTF-8$/,
    ],
    [
      'a line of 5,000 bytes',
      'text/plain',
      'x'.repeat(5_000),
      /^holder: the line is longer than 4096 bytes$/,
    ],
    ['an empty first cell', 'text/csv', ',1', /^holder: it is empty/],
    ['broken JSON', 'application/x-ndjson', '{"holder":', /^holder: the line is not valid JSON/],
    ['another object', 'application/x-ndjson', '{"wallet":1}', /^holder is required$/],
    ['a JSON number', 'application/x-ndjson', '7', /^holder: expected a JSON string/],
  ])('answers a row that is %s with an error, and the others', async (_what, type, bad, message) => {
    const json = type === 'application/x-ndjson';
    const good = Buffer.from(`${json ? `"${alice}"` : alice}\n`);
    const body = Buffer.concat([good, Buffer.from(bad), Buffer.from('\n'), good]);
    const { status, records } = await ask(body, AT, { 'content-type': type });
    expect(status).toBe(200);
    expect(records.slice(1)).toMatchObject([
      balanceRecord(1, alice),
      { record: 'error', line: 2, error: { statusCode: 400, message: expect.stringMatching(message) } },
      balanceRecord(3, alice),
      { record: 'end', holders: 3, errors: 1 },
    ]);
  });

  it('writes CSV where that is preferred, quoted where it must be', async () => {
    const csv = { accept: 'text/csv' };
    const { headers, text, records } = await ask(`${alice}\n=1+"2",3\nalice.eth`, AT, csv);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [, header, ...rows] = text.split('\n');
    expect(header).toBe('line,holder,balance,error');
    expect(rows).toEqual([
      `1,${alice},${usdcOf(alice)},`,
      expect.stringMatching(/^2,"'=1\+""2"",3",,"holder: expected an address .*"$/),
      `3,${alice},${usdcOf(alice)},`,
      expect.stringMatching(/^# \{"record":"end","holders":3,"errors":1,/),
      '',
    ]);
    expect(records).toMatchObject([{ record: 'facts', checked_at_block: HEIGHT }, { record: 'end' }]);
    const several = await ask(alice, { ...AT, token_address: `${USDC},native` }, csv);
    expect(several.text.split('\n').slice(1, 3)).toEqual([
      `line,holder,${USDC},native,error`,
      `1,${alice},${usdcOf(alice)},${ledger.nativeAt(alice, HEIGHT)},`,
    ]);
  });

  it.each(['gzip', 'br'])('is compressed as %s where that is accepted', async (coding) => {
    const plain = await ask(`${alice}\n${bob}\n`);
    const coded = await ask(`${alice}\n${bob}\n`, AT, { 'accept-encoding': coding });
    expect(coded.headers.get('content-encoding')).toBe(coding);
    expect(coded.text).toBe(plain.text);
  });

  it.each<[string, string, Record<string, string>, Record<string, string>, number, RegExp]>([
    ['nothing', '', AT, {}, 400, /^body: it is empty; expected one holder a line$/],
    ['blank lines only', '\n \r\n\t\n', AT, {}, 400, /^body: it has no rows; expected one holder a line$/],
    ['a header only', 'wallet\n', AT, { 'content-type': 'text/csv' }, 400, /^body: it has no rows/],
    [
      'JSON',
      '[]',
      AT,
      { 'content-type': 'application/json' },
      415,
      /^content-type: expected text\/plain, text\/csv/,
    ],
    [
      'another charset',
      alice,
      AT,
      { 'content-type': 'text/plain; charset=utf-16' },
      415,
      /expected the charset utf-8$/,
    ],
    ['compressed bytes', alice, AT, { 'content-encoding': 'gzip' }, 415, /^content-encoding: expected none/],
    ['holders, without a token', alice, {}, {}, 400, /^token_address/],
    [
      'holders, with an unknown parameter',
      alice,
      { ...AT, blockHeight: '1' },
      {},
      400,
      /did you mean block_height/,
    ],
    ['holders, with a malformed token', alice, { token_address: '0x12' }, {}, 400, /^token_address: /],
    [
      'holders, with a token twice',
      alice,
      { token_address: `${USDC},${USDC.toLowerCase()}` },
      {},
      400,
      /given twice/,
    ],
    [
      'holders, with 11 tokens',
      alice,
      {
        token_address: Array.from({ length: 11 }, (_, i) => `0x${(i + 16).toString(16).repeat(20)}`).join(
          ',',
        ),
      },
      {},
      400,
      /it has 11 tokens; expected 10/,
    ],
    [
      'holders, with two blocks',
      alice,
      { ...AT, date: '2023-08-26' },
      {},
      400,
      /^date: given together with block_height/,
    ],
    ['holders, above the head', alice, { ...AT, block_height: '99999999' }, {}, 404, /does not exist yet/],
    [
      'holders, with a contract that is no token',
      alice,
      { token_address: `native,${alice}` },
      {},
      404,
      /^There is no contract at /,
    ],
    [
      'holders, with an ERC-1155',
      alice,
      { token_address: TOKENS.items.address },
      {},
      400,
      /is an ERC-1155 contract/,
    ],
  ])('refuses a body of %s', async (_what, body, query, headers, status, message) => {
    const answer = await ask(body, query, headers);
    expect([answer.status, answer.records]).toEqual([
      status,
      [
        {
          statusCode: status,
          error: expect.any(String),
          message: expect.stringMatching(message),
          ...forMachines(),
        },
      ],
    ]);
  });

  /** Begins a request that sends no body yet. */
  const begin = (headers: Record<string, string | number>): ClientRequest =>
    request(balance.url + snapshotPath(AT), {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...headers },
    });
  const statusOf = (sent: ClientRequest): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    });

  it('refuses a body that is too long, or of unknown length, before any of it is sent', async () => {
    const long = begin({ 'content-length': 64 * 1024 * 1024 + 1 });
    const unknown = begin({ 'transfer-encoding': 'chunked' });
    for (const sent of [long, unknown]) sent.flushHeaders();
    expect(await Promise.all([long, unknown].map(statusOf))).toEqual([413, 411]);
    for (const sent of [long, unknown]) sent.destroy();
  });

  it('answers the first rows while later ones are not sent yet, and has no end where the body is cut off', async () => {
    const sent = begin({ 'content-length': 300_000 });
    sent.on('error', () => undefined);
    const text: string[] = [];
    const answered = new Promise<void>((resolve, reject) => {
      sent.on('response', (response) => {
        response.setEncoding('utf8').on('data', (part: string) => {
          text.push(part);
          if (!text.join('').includes('"line":4580,')) return;
          resolve();
          sent.destroy();
        });
        response.on('error', reject);
      });
    });
    sent.write(`${alice}\n`.repeat(5_000));
    await answered.catch(() => undefined);
    const records = text.join('');
    expect(records).toContain(JSON.stringify(balanceRecord(1, alice)));
    expect(records).not.toContain('"record":"end"');
  });
});
