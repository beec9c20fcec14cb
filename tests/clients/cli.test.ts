/** The command line against a whole installation. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TimeoutError } from '@hindsight/client';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { exitCodeOf } from '../../clients/cli/src/exit-codes.ts';
import { countHolders } from '../../clients/cli/src/holders-file.ts';
import { run } from '../../clients/cli/src/run.ts';
import { readParquet } from '../../services/holders/test/support/read-parquet.ts';
import { cutAnswers } from '../support/cut-answers.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { machineEnv } from '../support/machine.ts';
import { sharedHindsight, type SharedHindsight } from '../support/shared-hindsight.ts';
import { untilHoldersIndexed } from '../support/until-indexed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hindsight-cli-'));
let hindsight: SharedHindsight;
let apiKey: string;

const before = process.cwd();
beforeAll(async () => {
  hindsight = await sharedHindsight(process.env);
  apiKey = await makeFastKey(hindsight.dataDir);
  await untilHoldersIndexed(hindsight.url, apiKey);
  // Commands name files of the folder that they are run in.
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Given {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment of a command. */
const envOf = ({ env }: Given): Record<string, string> => ({
  HINDSIGHT_URL: hindsight.url,
  HINDSIGHT_API_KEY: apiKey,
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...env,
});

/** Runs a command in this process: a new one takes half a second of the processor to begin. */
async function hindsightCommand(words: string, given: Given = {}): Promise<Run> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const stdin = Readable.from([Buffer.from(given.input ?? '')]);
  const { signal } = new AbortController();
  const code = await run(words.split(' '), { env: envOf(given), stdin, stdout, stderr, signal });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, out, err };
}

/** Alters the text of all answers. */
function alterAnswers(alter: (body: string) => string) {
  const { fetch } = globalThis;
  return jest.spyOn(globalThis, 'fetch').mockImplementation(async (...asked) => {
    const answer = await fetch(...asked);
    return new Response(alter(await answer.text()), answer);
  });
}

/** Runs a command as a shell does. */
async function hindsightProcess(words: string, given: Given = {}): Promise<Run> {
  const child = spawn(process.execPath, [join(ROOT, 'clients/cli/src/main.ts'), ...words.split(' ')], {
    cwd: folder,
    env: { ...machineEnv(), ...envOf(given) },
  });
  child.stdin.end(given.input ?? '');
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

const ALICE = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8';

/** Books that have missed a payment, on standard input; other commands do not read it. */
const BOOKS = 'block,balance\n17999990,1250000000000\n2023-08-26T16:21:40Z,1250000000000\n';

/** A space's strategies, and voters: one whose address is in lower case, and one without a balance; the first is named twice. */
const SPACE = {
  network: '1',
  strategies: [
    {
      name: 'erc20-balance-of',
      params: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
    },
    { name: 'ticket', params: { value: 99 } },
    { name: 'ticket' },
  ],
};
const VOTERS =
  'voter\n0xef2176ccb2162de14f81c3abbfe0e0bd89d34cb8\n0x3CDd7613cc51Ca3E179F4C8dAC071F832C32d045\n0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8\n';

describe('hindsight', () => {
  beforeAll(() => {
    // With a byte order mark, as some editors write it.
    writeFileSync(join(folder, 'strategies.json'), `\ufeff${JSON.stringify(SPACE)}`);
    writeFileSync(join(folder, 'elsewhere.json'), JSON.stringify({ ...SPACE, network: 10 }));
    writeFileSync(join(folder, 'voters.csv'), VOTERS);
  });

  it.each([
    ['balance USDC alice.eth --at 18,000,000', /^4550\.2275 USDC {2}block 18000000, 2023-08-26T16:21:35Z\n$/],
    ['balance native alice.eth --at 2023-08-26T16:21:40Z --json', /"balance": "\d+"/],
    [
      'series USDC alice.eth --from 17999900 --to 18000000 --points 3 --csv',
      /^date,block,block_hash,balance,amount,reason\n(2023-[^,]+,\d+,0x[\da-f]{64},\d+,[\d.]+,\n){3}$/,
    ],
    ['series native alice.eth --from 17999900 --to 18000000 --chart', /^ *[\d.]+ ┤ *•/m],
    [
      'changes USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17,999,999 --to 18_000_000',
      /^2023-08-26T16:21:35Z {2}-1250000 {2}block 18000000, transfer\n$/,
    ],
    [
      'changes native alice.eth --from 18000122 --to 18000142',
      /^2023-\S+ {2}-?[\d.]+ {2}block 18000123, state\n2023-\S+ {2}\+38.7565568879999\d+ {2}block 18000142, state\n$/,
    ],
    [
      'changes USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17999999 --to 18000000 --each --csv',
      /^holder,.*\n0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7,2023-\S+,18000000,0x[\da-f]{64},transfer,.*\n$/,
    ],
    [
      'series USDC treasury.eth --from 17999990 --to 18000010 --points 2 --each --csv',
      /^holder,date,block,block_hash,balance,amount,reason\n(0x\w{40}),2023-\S+,17999990,0x\w{64},\d+,[\d.]+,\n(?!\1)0x\w{40},2023-\S+,18000010,0x\w{64},\d+,[\d.]+,\n$/,
    ],
    [
      'series USDC treasury.eth --from 17999990 --to 18000010 --points 2 --each',
      /^2023-\S+ {2}17999990 {2}[\d.]+, (0x\w{40})\n2023-\S+ {2}18000010 {2}[\d.]+, (?!\1)0x\w{40}\n$/,
    ],
    [
      'statement USDC treasury.eth --from 17999990 --to 18000010 --step 10 --each --csv',
      /^holder,from,from_block,to,to_date,to_block,to_block_hash,opening,in,out,unexplained,closing,finalized\n(0x\w{40}(,[^,\n]+){11},true\n){2}$/,
    ],
    [
      'statement USDC treasury.eth --from 17999990 --to 18000010 --step 10 --each',
      /^2023-\S+ {2}.* block 18000000, (0x\w{40})\n2023-\S+ {2}.* block 18000010, 0x\w{40}\n$/,
    ],
    [
      'changes native,USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17999999 --to 18000000',
      /^2023-08-26T16:21:35Z {2}-1250000 USDC {2}block 18000000, transfer\n$/m,
    ],
    [
      'changes native,USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17999999 --to 18000000 --csv',
      /^token,symbol,date,block,block_hash,cause,before,after,change,transactions\n[\s\S]*^0xA0b8\w{36},USDC,2023-\S+,18000000,0x[\da-f]{64},transfer,1250000,0,-1250000,0x[\da-f]{64}\n/m,
    ],
    [
      'changes all 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17999999 --to 18000000',
      /^2023-08-26T16:21:35Z {2}-1250000 USDC {2}block 18000000, transfer$/m,
    ],
    [
      'statement USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 --from 17999999 --to 18000000 --step 1',
      /^2023-08-26T16:21:35Z {2}1250000 \+ 0 - 1250000 = 0 {2}block 18000000\n$/,
    ],
    [
      'statement native alice.eth --from 17999900 --to 18000000 --step 50 --csv',
      /^from,from_block,to,to_date,to_block,to_block_hash,opening,in,out,unexplained,closing,finalized\n(.*,true\n){2}$/,
    ],
    [
      'reconcile USDC 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7',
      /^1 of 2 rows differ\nfirst after block 17999990, by block 18000000: -1250000000000 .*\naccounted for by transfer at block 18000000\n/,
    ],
    ['code alice.eth --at 18000000', /^no code\n/],
    ['code 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 --at 18000000', /^\d+ bytes {2}0x[0-9a-f]{64}\n/],
    ['portfolio alice.eth --at 18000000', / ETH\n[\s\S]* USDC /],
    // Its symbol would begin a line of its own.
    ['portfolio bob.eth --at 18000000', /^8 <b>&\u200b\ufffd\ufffdX-Injected: 1 {2}0xA68a\w{36}$/m],
    [
      'portfolio alice.eth --at 18000000 --csv',
      /^token,symbol,token_id,balance,amount,block,block_hash,unread,complete\nnative,ETH,,\d+,[\d.]+,18000000,0x[\da-f]{64},,true\n(0x\w{40},.*,18000000,0x[\da-f]{64},,true\n)+$/,
    ],
    [
      'allowances alice.eth --at 17999900 --csv',
      /^token,symbol,spender,allowance,amount,block,block_hash,via,expiration,expired,unread,complete\n(0x\w{40},.*,17999900,0x[\da-f]{64},token,,,,true\n)+$/,
    ],
    ['block 2023-08-26T16:21:40Z', /^18000000 {2}0x[\da-f]{64} {2}2023-08-26T16:21:35Z {2}final\n$/],
    ['supply USDC --at 18000000', /^[\d.]+ USDC {2}block 18000000\n$/],
    [
      'value 0x1672E7548c3545B5C5dfC7AA0E3dA1E6891c735e --at 18000142',
      /^A share in assets {2}1\.05 0x1f98\w{36} {2}convertToAssets\(10{18}\) of 0x1672\w{36}\nblock 18000142, not final yet\n$/,
    ],
    ['value USDC --at 18000000', /^USDC \/ USD {2}\(no_contract\) {2}latestRoundData\(\) of 0x8fFf\w{36}\n/],
    [
      'value USDC --at 18000000 --csv',
      /^name,kind,contract,call,answer,amount,quote,reason,source,block,block_hash\nUSDC \/ USD,chainlink,0x8fFf\w{36},latestRoundData\(\),,,USD,no_contract,https:[^,]+,18000000,0x[\da-f]{64}\n/,
    ],
    [
      'value 0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D --at 18000000',
      /^no vault, and no row in the operator's table\nblock 18000000\n$/,
    ],
    ['value UNI --at 18000000 --json', /"reads": \[/],
    ['token USD', /^0x\w{40} {2}USD\w* {2}.* {2}erc20\n/],
    [
      'token USDC --csv --limit 1',
      /^address,type,symbol,name,block\n0xA0b8\w{36},erc20,USDC,USD Coin,\d+\n$/,
    ],
    [
      'call 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 balanceOf(address)returns(uint256) 0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8 --at 18000000',
      /^4550227500\nblock 18000000\n$/,
    ],
    [
      'call 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 decimals()returns(uint8) --from 17999990 --to 18000000 --step 5 --csv',
      /^date,block,block_hash,values,reason\n(2023-[^,]+,\d+,0x[\da-f]{64},6,\n){3}$/,
    ],
    ['allowances alice.eth --at 17999900', /0x647a8963028b49dC181042b1f511518e562Be8F8 {2}\d+ UNI/],
    [
      'scores strategies.json voters.csv --at 18000000',
      /^4650\.2275 {2}0xef2176\w{34}\n100 {2}0x3CDd\w{36}\nblock 18000000\n$/,
    ],
    [
      'scores strategies.json voters.csv --at 2023-08-26T16:21:40Z --csv',
      /^address,erc20-balance-of,ticket,ticket 2,total,block,block_hash\n0xef\w{38},4550\.2275,99,1,4650\.2275,18000000,(0x[\da-f]{64})\n0x3CDd\w{36},0,99,1,100,18000000,\1\n$/,
    ],
    [
      'scores strategies.json voters.csv --at 18000000 --json',
      /"total": \{\n {4}"0xef2176\w{34}": "4650\.2275"/,
    ],
    ['usage', /^plan {8}enterprise\n/],
    ['completion bash', /complete -o default -F _hindsight hindsight/],
  ])('%s', async (words, printed) => {
    const { code, out, err } = await hindsightCommand(words, { input: BOOKS });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(printed);
  });

  it.each([
    [2, 'balance', {}],
    [2, 'balance USDC alice.eth --at yesterday', {}],
    [2, 'call 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 decimals() --step 1d', {}],
    [2, 'call 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 decimals() --at 18000000 --from 17999990', {}],
    [2, 'balance 0x1 alice.eth', {}],
    [2, 'balance NOSUCHSYMBOL alice.eth', {}],
    [2, 'holders native', {}],
    [2, 'holders USDC --json -o holders.json', {}],
    [2, 'holders USDC --largest 5 --parquet holders.parquet', {}],
    [2, 'holders USDC --largest 1001', {}],
    [2, 'holders USDC --csv --parquet holders.parquet', {}],
    [3, 'holders 0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8', {}],
    [2, 'token NoTokenBeginsLikeThis', {}],
    [2, 'call USDC decimals()returns(uint8) [1', {}],
    [2, 'snapshot --token USDC none.csv', {}],
    [2, 'snapshot --token USDC - -o none.csv', {}],
    [2, 'reconcile USDC alice.eth none.csv', {}],
    [2, 'reconcile USDC alice.eth .', {}],
    [2, 'scores none.json voters.csv', {}],
    [2, 'scores voters.csv voters.csv', {}],
    [2, 'scores elsewhere.json voters.csv', {}],
    [2, 'scores strategies.json none.csv', {}],
    [2, 'usage', { HINDSIGHT_API_KEY: '' }],
    [2, 'usage', { HINDSIGHT_API_KEY: 'hs_…' }],
    [2, 'usage', { HINDSIGHT_URL: 'localhost:8080' }],
    [2, 'holders USDC --csv --json', {}],
    [2, 'holders USDC --resume', {}],
    [2, 'snapshot --token USDC none.csv --resume', {}],
    [2, 'orders tail --limit many', {}],
    [2, 'orders tail --limit 0', {}],
    [2, 'orders list --limit many', {}],
    [3, 'balance native nobody.eth', {}],
    [4, 'usage', { HINDSIGHT_API_KEY: 'hs_unknown' }],
  ])('ends with %s for `%s`', async (code, words, env) => {
    const ended = await hindsightCommand(words, { env });
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).not.toBe('');
  });

  it.each([
    ['series MKR 0xEf3376f43Cc28791b45b89c0F5fcA93a7CF4b4D5', '--step 1w'],
    ['changes MKR 0xEf3376f43Cc28791b45b89c0F5fcA93a7CF4b4D5', ''],
    ['statement MKR 0xEf3376f43Cc28791b45b89c0F5fcA93a7CF4b4D5', ''],
    ['call 0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2 totalSupply()', '--step 1w'],
  ])('%s says that a last day alone is left out', async (words, step) => {
    const range = (to: string): string => `${words} --from 2022-11-01 --to ${to} ${step}`.trim();
    const { err } = await hindsightCommand(range('2022-12-31'));
    expect(err).toContain('--to 2022-12-31 is 00:00 UTC: the range ends before that day\n');
    expect((await hindsightCommand(range('2022-12-31T23:59:59Z'))).err).not.toContain('00:00 UTC');
  });

  it('names the steps that there are', async () => {
    const { code, err } = await hindsightCommand('series USDC alice.eth --from 17999990 --step 30d');
    expect([code, err]).toEqual([
      2,
      'hindsight: --step 30d: expected 1h, 6h, 1d, 1w, 1M, or a number of blocks\n',
    ]);
  });

  it('refuses scores of another block than the one that was asked for: its number has another hash by then', async () => {
    const server = createServer((request, answer) => {
      void (async () => {
        const { method, url } = request;
        const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
        const body = method === 'POST' ? await text(request) : null;
        const said = await (await fetch(hindsight.url + url, { method: method!, headers, body })).text();
        answer.end(
          url === '/v1/scores' ? said.replace(/"block_hash":"0x\w{4}/, '"block_hash":"0x0000') : said,
        );
      })();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { HINDSIGHT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    const { code, out, err } = await hindsightCommand('scores strategies.json voters.csv --at 18000000', {
      env,
    });
    expect([code, out, err]).toEqual([
      1,
      '',
      expect.stringContaining('a block was reorganised away meanwhile'),
    ]);
    server.close();
  });

  it('names the option for a name that moved', async () => {
    const words = 'statement USDC treasury.eth --from 17999990 --to 18000010 --step 10';
    const { code, err } = await hindsightCommand(words);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/treasury\.eth means .*, or --each \(resolve=each\) for /),
    ]);
  });

  it('says where a name moved, beside the changes of each address', async () => {
    const words = 'changes USDC treasury.eth --from 17999990 --to 18000010 --each --csv';
    const { code, out, err } = await hindsightCommand(words);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^holder,date,block,block_hash,cause,before,after,change,transactions\n(0x\w{40},2023-\S+,1\d{7},0x[\da-f]{64},transfer,.*\n)+$/,
    );
    expect(err).toBe(
      'treasury.eth moved, which is no movement of funds: it meant 0x0C9eB73c990B5324f522AD2A2d640304E1C0f1B7 in ' +
        'blocks 17999991 to 17999999, then 0x1c9926817a331141EB2c1A762c796A766524a709 in blocks 18000000 to 18000010\n',
    );
  });

  it('asks about the network of --network, or of the environment', async () => {
    const refused = /The network sepolia is not served here; served: eth-mainnet/;
    for (const words of ['block 18000000', 'orders list', 'orders tail', `orders get 0x${'1'.repeat(64)}`])
      expect((await hindsightCommand(`${words} --network sepolia`)).err).toMatch(refused);
    const env = { HINDSIGHT_NETWORK: 'sepolia' };
    expect((await hindsightCommand('block 18000000', { env })).err).toMatch(refused);
    const own = await hindsightCommand('block 18000000 --network eth-mainnet', { env });
    expect([own.code, own.err]).toEqual([0, '']);
    expect((await hindsightCommand('usage --network sepolia')).err).toContain("unknown option '--network'");
  });

  it('says its version, and in its help where the API is set', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'clients/cli/package.json'), 'utf8')) as {
      version: string;
    };
    expect(await hindsightProcess('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
    expect((await hindsightCommand('--help')).out).toContain('HINDSIGHT_URL');
  });

  it('says what to do where nothing answers', async () => {
    const ended = await hindsightProcess('usage', { env: { HINDSIGHT_URL: 'http://127.0.0.1:1' } });
    const err = `hindsight: can't reach http://127.0.0.1:1. Is Hindsight running? Set HINDSIGHT_URL.\n`;
    expect(ended).toEqual({ code: 6, out: '', err });
  });

  it('prints no control characters of what it was answered, on stderr either', async () => {
    const server = createServer((_request, answer) => {
      answer.writeHead(404).end(JSON.stringify({ message: 'no\u001b[2J token\r\nX-Injected: 1' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, err } = await hindsightCommand('usage', { env: { HINDSIGHT_URL: url } });
    expect([code, err]).toEqual([3, 'hindsight: no\ufffd[2J token\ufffd\nX-Injected: 1\n']);
    server.close();
  });

  it('has the documented exit code where the API is late', () => {
    expect([new TimeoutError('late'), new Error('other')].map(exitCodeOf)).toEqual([6, 1]);
  });

  it('names the address that login was given, where nothing answers there', async () => {
    const ended = await hindsightProcess('login --url http://127.0.0.1:1', { input: 'hs_key\n' });
    expect([ended.code, ended.err]).toEqual([6, expect.stringContaining("can't reach http://127.0.0.1:1.")]);
  });

  it.each([
    'snapshot --token USDC',
    'reconcile USDC alice.eth -',
    `verify --block-hash 0x${'1'.repeat(64)}`,
    'login',
  ])('ends with 130 for `%s` at Ctrl-C while its input is open', async (words) => {
    const interrupt = new AbortController();
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const ended = run(words.split(' '), { env: envOf({}), stdin, stdout, stderr, signal: interrupt.signal });
    const reads = (): number => stdin.listenerCount('data') + stdin.listenerCount('readable');
    await until('it reads', () => reads() > 0);
    interrupt.abort(new Error('interrupted'));
    expect(await ended).toBe(130);
    expect(stdin.destroyed).toBe(true);
  });

  it('does its work where notes cannot be written', async () => {
    const words = ['holders', 'USDC', '--at', '18000000', '--csv'];
    const child = spawn(process.execPath, [join(ROOT, 'clients/cli/src/main.ts'), ...words], {
      env: { ...machineEnv(), ...envOf({}) },
    });
    child.stderr.destroy();
    const ended = new Promise<number | null>((done) => child.once('close', done));
    expect((await text(child.stdout)).split('\n')).toHaveLength(23);
    expect(await ended).toBe(0);
  });

  it('says that its answer cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [join(ROOT, 'clients/cli/src/main.ts'), 'usage'], {
      env: { ...machineEnv(), ...envOf({}) },
      stdio: ['ignore', full, 'pipe'],
    });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    expect(await text(child.stderr!)).toContain('hindsight: standard output cannot be written: ENOSPC');
    expect(await ended).toBe(1);
    closeSync(full);
  });

  it('refuses books of which the first row is no header and no row', async () => {
    const ended = await hindsightCommand('reconcile USDC alice.eth', {
      input: '17999990,12.5\n18000000,5\n',
    });
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('line 1: expected a block')]);
  });

  it('reads books with a byte order mark, quotes and line ends as spreadsheets write them', async () => {
    const ended = await hindsightCommand('reconcile USDC alice.eth', {
      input: '\ufeff"18000000","4550227500"\r\n',
    });
    expect(ended).toEqual({ code: 0, out: 'all 1 rows are equal\n', err: '' });
  });

  it('runs from a clone by its name, without a build', () => {
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/hindsight'), ['--help'], {
      encoding: 'utf8',
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: hindsight')]);
  });

  it('stores what login is given, for its owner alone, and works with it', async () => {
    const config = join(folder, 'own-config');
    const env = { XDG_CONFIG_HOME: config, HINDSIGHT_API_KEY: '', HINDSIGHT_URL: '' };
    const login = await hindsightCommand(`login --url ${hindsight.url}`, { input: `${apiKey}\n`, env });
    expect([login.code, login.out]).toEqual([0, '']);
    expect(login.err).not.toContain(apiKey);
    expect(statSync(join(config, 'hindsight/login.json')).mode & 0o777).toBe(0o600);
    expect((await hindsightCommand('usage', { env })).code).toBe(0);
    const same = { ...env, HINDSIGHT_URL: `${hindsight.url}/` };
    expect((await hindsightCommand('usage', { env: same })).code).toBe(0);
    const elsewhere = { ...env, HINDSIGHT_URL: 'http://127.0.0.1:1' };
    const kept = await hindsightCommand('usage', { env: elsewhere });
    expect([kept.code, kept.err]).toEqual([
      2,
      expect.stringContaining('no API key for http://127.0.0.1:1: '),
    ]);
    // As on Node 20, which lacks it.
    const parse = Object.getOwnPropertyDescriptor(URL, 'parse')!;
    Object.defineProperty(URL, 'parse', { ...parse, value: undefined });
    try {
      expect((await hindsightCommand('usage', { env: elsewhere })).err).toBe(kept.err);
    } finally {
      Object.defineProperty(URL, 'parse', parse);
    }
  });
});

it('hindsight balance --proof shares has a proof of shares, which verify --shares accepts', async () => {
  const token = '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84';
  const holder = '0x6984fd1E9929ED820cF3a0fe3877DFAA8d00ac1c';
  const asked = await hindsightCommand(`balance ${token} ${holder} --at 18000000 --proof shares`);
  const { block_hash, proof } = JSON.parse(asked.out) as { block_hash: string; proof: { shares: string } };
  const words = `verify --block-hash ${block_hash}`;
  const refused = await hindsightCommand(words, { input: asked.out });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('not verified (shares): ')]);
  const verified = await hindsightCommand(`${words} --shares`, { input: asked.out });
  expect([verified.code, verified.out]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `^verified: ${proof.shares} shares of ${token.toLowerCase()} held by .*\n.* is not proven\n.*solidity 2\n$`,
      ),
    ),
  ]);
});

describe('hindsight snapshot', () => {
  const holders = Array.from({ length: 3_000 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
  holders[2_999] = 'alice.eth';

  it('writes a file of all rows, and refuses to overwrite it', async () => {
    writeFileSync(
      join(folder, 'holders.csv'),
      `address,note\r\n${holders.map((holder) => `${holder},x`).join('\r\n')}\r\n`,
    );
    const words = 'snapshot --token USDC --at 18000000 holders.csv -o all.csv';
    const { code, err } = await hindsightCommand(words);
    expect({ code, err }).toEqual({ code: 0, err: 'all.csv is complete\n' });
    const lines = readFileSync(join(folder, 'all.csv'), 'utf8').split('\n');
    expect(lines).toHaveLength(holders.length + 3);
    expect(lines[0]).toMatch(/^# block 18000000, 0x[\da-f]{64}$/);
    expect(lines[1]).toBe('holder,balance,amount,error');
    expect(lines.at(-2)).toBe('0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8,4550227500,4550.2275,');
    expect(existsSync(join(folder, 'all.csv.resume'))).toBe(false);
    expect((await hindsightCommand(words)).code).toBe(2);
  });

  it('leaves no output behind where the question is refused, so that the next one is asked', async () => {
    writeFileSync(join(folder, 'one.csv'), 'alice.eth\n');
    const refused = await hindsightCommand('snapshot --token USDC --at 2011-01-01 one.csv -o early.csv');
    expect(refused.code).not.toBe(0);
    expect([existsSync(join(folder, 'early.csv')), existsSync(join(folder, 'early.csv.resume'))]).toEqual([
      false,
      false,
    ]);
    const again = await hindsightCommand('snapshot --token USDC --at 18000000 one.csv -o early.csv');
    expect(again).toEqual({ code: 0, out: '', err: 'early.csv is complete\n' });
  });

  it('leaves no output behind where the file of holders does not exist', async () => {
    const { code, err } = await hindsightCommand('snapshot --token native mistyped.csv -o none.csv');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('mistyped.csv') });
    expect(existsSync(join(folder, 'none.csv'))).toBe(false);
  });

  it('begins again where it was interrupted before its head was whole', async () => {
    const holders = join(folder, 'headless-holders.csv');
    writeFileSync(holders, 'alice.eth\nbob.eth\n');
    const words = `snapshot --token USDC --at 18000000 ${holders} -o headless.csv`;
    await hindsightCommand(words);
    const whole = readFileSync('headless.csv', 'utf8');
    const block_hash = /0x\w{64}/.exec(whole)![0];
    for (const head of ['', '# block 1800']) {
      writeFileSync('headless.csv', head);
      writeFileSync(
        'headless.csv.resume',
        JSON.stringify({
          tokens: ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
          block_hash,
          block: 18_000_000,
        }),
      );
      expect((await hindsightCommand(`${words} --resume`)).code).toBe(0);
      expect(readFileSync('headless.csv', 'utf8')).toBe(whole);
    }
  });

  it('continues where it was interrupted, at the same block', async () => {
    const whole = readFileSync(join(folder, 'all.csv'), 'utf8');
    const path = join(folder, 'part.csv');
    // As an interruption leaves it: in the middle of a line.
    writeFileSync(path, whole.slice(0, Math.floor(whole.length / 3)));
    const { block_hash } = JSON.parse(
      (await hindsightCommand('balance native alice.eth --at 18000000 --json')).out,
    ) as {
      block_hash: string;
    };
    const tokens = ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'];
    const note = { tokens, block_hash, block: 18_000_000 };
    const begun = (await countHolders(join(folder, 'holders.csv'))).hash;
    const words = 'snapshot --token USDC holders.csv -o part.csv --resume';
    writeFileSync(`${path}.resume`, JSON.stringify({ ...note, holders: `${begun.slice(1)}0` }));
    expect(await hindsightCommand(words)).toMatchObject({
      code: 2,
      err: expect.stringContaining('part.csv was begun with other holders than those of holders.csv'),
    });
    writeFileSync(`${path}.resume`, JSON.stringify({ ...note, from_block: 1 }));
    expect(await hindsightCommand(words)).toMatchObject({
      code: 2,
      err: 'hindsight: part.csv was begun by hindsight holders\n',
    });
    // A token in lower case is the same token.
    const lower = tokens.map((token) => token.toLowerCase());
    writeFileSync(`${path}.resume`, JSON.stringify({ ...note, tokens: lower, holders: begun }));
    for (const at of ['17999999', '2023-08-26'])
      expect(await hindsightCommand(`${words} --at ${at}`)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`part.csv is about block 18000000, ${block_hash}, and --at about 0x`),
      });
    const { code, err } = await hindsightCommand(`${words} --at 18000000`);
    expect({ code, err }).toEqual({ code: 0, err: 'part.csv is complete\n' });
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });

  it.each([
    ['rows', ''],
    ['records', ' --proof'],
  ])('counts the errors among the %s of both runs', async (_what, option) => {
    writeFileSync('bad.txt', ['alice.eth', 'nobody.eth', 'bob.eth', 'nobody.eth'].join('\n'));
    const words = `snapshot --token USDC --at 18000000 bad.txt${option} -o bad-out`;
    const told = { code: 0, out: '', err: 'bad-out is complete; 2 rows have an error\n' };
    expect(await hindsightCommand(words)).toEqual(told);
    const whole = readFileSync('bad-out', 'utf8');
    writeFileSync('bad-out', whole.slice(0, whole.indexOf('\n', whole.indexOf('nobody.eth')) + 1));
    const tokens = ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'];
    const block_hash = '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0';
    writeFileSync('bad-out.resume', JSON.stringify({ tokens, block_hash, block: 18_000_000 }));
    expect(await hindsightCommand(`${words} --resume`)).toEqual(told);
    rmSync('bad-out');
  });

  it.each(['snapshot --token USDC two.csv', 'holders USDC'])(
    'of `%s` does not continue where an answer contradicted itself',
    async (words) => {
      writeFileSync('two.csv', 'alice.eth\nbob.eth\n');
      const asked = `${words} --at 18000000 -o wrong.csv`;
      const altered = alterAnswers((body) => body.replace(/"sum":"\d+"/, '"sum":"1"'));
      const wrong = await hindsightCommand(asked);
      altered.mockRestore();
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('do not add up')]);
      const resumed = await hindsightCommand(`${asked} --resume`);
      expect([resumed.code, resumed.err]).toEqual([
        2,
        expect.stringMatching(/an answer was wrong \(.*do not add up.*\): remove both, and begin again/),
      ]);
      for (const file of ['wrong.csv', 'wrong.csv.resume']) rmSync(file);
    },
  );

  it.each(['snapshot --token USDC two.csv', 'holders USDC'])(
    'of `%s` continues where something else answered in place of the API',
    async (words) => {
      writeFileSync('two.csv', 'alice.eth\nbob.eth\n');
      const asked = `${words} --at 18000000 -o cut.csv`;
      const altered = alterAnswers((body) => body.replace(/^{"record":"end".*/m, '<html>'));
      const cut = await hindsightCommand(asked);
      altered.mockRestore();
      expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('is not JSON of the API')]);
      expect(await hindsightCommand(`${asked} --resume`)).toMatchObject({ code: 0 });
      rmSync('cut.csv');
    },
  );

  it('with proofs continues as well, and is verified as one file', async () => {
    writeFileSync(join(folder, 'some.csv'), ['alice.eth', ...holders.slice(0, 299)].join('\n'));
    const words = 'snapshot --token USDC --at 18000000 some.csv --proof -o';
    expect((await hindsightCommand(`${words} proven.ndjson`)).err).toBe('proven.ndjson is complete\n');
    const whole = readFileSync(join(folder, 'proven.ndjson'), 'utf8');
    const { block_hash } = JSON.parse(whole.slice(0, whole.indexOf('\n'))) as { block_hash: string };
    const tokens = ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'];
    // As interruptions leave it: among the nodes, in the middle of a row, and before the end.
    for (const cut of [
      whole.indexOf('{"record":"nodes"') + 500,
      whole.lastIndexOf('{"record":"balance"') + 40,
      whole.lastIndexOf('{"record":"end"'),
    ]) {
      const path = join(folder, 'part.ndjson');
      rmSync(path, { force: true });
      writeFileSync(path, whole.slice(0, cut));
      writeFileSync(`${path}.resume`, JSON.stringify({ tokens, block_hash, block: 18_000_000 }));
      const { code, err } = await hindsightCommand(`${words} part.ndjson --resume`);
      expect({ code, err }).toEqual({ code: 0, err: 'part.ndjson is complete\n' });
      const verified = await hindsightCommand(`verify part.ndjson --block-hash ${block_hash}`);
      expect([verified.code, verified.out]).toEqual([
        0,
        expect.stringContaining('300 of 300 rows are verified, 4550227500 '),
      ]);
      // As between two requests: the one before has its end.
      writeFileSync(`${path}.resume`, '{}');
      const interrupted = await hindsightCommand(`verify part.ndjson --block-hash ${block_hash}`);
      expect(interrupted).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining('was interrupted'),
      });
      const { out } = await hindsightCommand(`verify part.ndjson --block-hash ${block_hash} --json`);
      expect(JSON.parse(out)).toMatchObject({
        verified: false,
        refusal: { reason: 'incomplete' },
        rows: 300,
      });
    }
  });

  it.each([
    ['CSV', 'all.csv', ' --proof', /without --proof/],
    ['proofs', 'proven.ndjson', '', /with --proof/],
  ])('of %s does not continue in the other format', async (_format, from, option, words) => {
    const path = join(folder, 'mixed');
    const half = readFileSync(join(folder, from), 'utf8').slice(0, 20_000);
    writeFileSync(path, half);
    const tokens = ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'];
    const note = { tokens, block_hash: `0x${'00'.repeat(32)}`, block: 18_000_000 };
    writeFileSync(`${path}.resume`, JSON.stringify(note));
    const asked = `snapshot --token USDC some.csv -o mixed --resume${option}`;
    expect(await hindsightCommand(asked)).toMatchObject({ code: 2, err: expect.stringMatching(words) });
    expect(readFileSync(path, 'utf8')).toBe(half);
  });

  it('of 100,000 lines is one complete file after ten cuts', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) =>
      i % 1_000 === 999 ? 'alice.eth' : `0x${(0xabc_000 + i).toString(16).padStart(40, '0')}`,
    );
    writeFileSync(join(folder, 'many.csv'), many.join('\n'));
    const cutter = await cutAnswers(hindsight.url, (number) => (number <= 10 ? 100_000 * number : undefined));
    const env = { HINDSIGHT_URL: cutter.url };
    const { code, err } = await hindsightCommand(
      'snapshot --token USDC --at 18000000 many.csv -o many-out.csv',
      { env },
    );
    expect({ code, err }).toEqual({ code: 0, err: 'many-out.csv is complete\n' });
    expect(cutter.requests()).toBeGreaterThan(10);
    const [, , ...rows] = readFileSync(join(folder, 'many-out.csv'), 'utf8').trimEnd().split('\n');
    const alice = '0xEf2176CCb2162De14F81c3abbfE0e0Bd89D34Cb8,4550227500,4550.2275,';
    const wrong = rows.filter((row, i) =>
      many[i] === 'alice.eth' ? row !== alice : !row.toLowerCase().startsWith(`${many[i]},0,0,`),
    );
    expect({ rows: rows.length, wrong }).toEqual({ rows: many.length, wrong: [] });
    cutter.server.close();
  });

  it('reads standard input and prints JSON lines', async () => {
    const { code, out } = await hindsightProcess('snapshot --token native,USDC --at 18000000 --json', {
      input: 'alice.eth\nnobody.eth\n',
    });
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { balances: { '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48': '4550227500' } },
      { holder: 'nobody.eth', error: expect.stringContaining('no address') },
    ]);
  });

  it('names the block and its hash on stderr, where the rows go to standard output', async () => {
    const words = 'snapshot --token USDC --at 18000000';
    const { code, out, err } = await hindsightCommand(words, { input: 'alice.eth\n' });
    expect([code, out]).toEqual([0, `holder,balance,amount,error\n${ALICE},4550227500,4550.2275,\n`]);
    expect(err).toMatch(/^block 18000000, 0x[\da-f]{64}\n$/);
  });
});

describe('npm run hindsight', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends when npm gets a %s', async (signal) => {
    const child = spawn('npm', ['run', '--silent', 'hindsight', '--', 'mcp'], {
      cwd: ROOT,
      env: { ...machineEnv(), HINDSIGHT_URL: hindsight.url, HINDSIGHT_API_KEY: apiKey },
    });
    const ended = new Promise((done) => child.once('close', done));
    const answered = new Promise<string>((done) =>
      child.stdout.once('data', (chunk: Buffer) => done(chunk.toString())),
    );
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    expect(await answered).toContain('"id":1');
    child.kill(signal);
    // Also once its standard output is closed: nothing is left that holds it.
    await ended;
  });
});

describe('hindsight holders', () => {
  const TOLD = '21 holders at block 18000000, 1406495 USDC together\n';

  it('prints them for people, as CSV and as JSON, and what is known of the list to stderr', async () => {
    const plain = await hindsightCommand('holders USDC --at 18000000');
    expect([plain.code, plain.err]).toEqual([0, TOLD]);
    expect(plain.out).toContain(`${ALICE}  4550.2275 USDC\n`);
    const csv = await hindsightCommand('holders USDC --at 18000000 --csv');
    expect(csv.out.split('\n')).toHaveLength(23);
    expect(csv.out).toContain(`\n${ALICE},4550227500,4550.2275,\n`);
    const json = await hindsightCommand('holders USDC --at 18000000 --json');
    expect(json.out).toContain(`{"holder":"${ALICE}","balance":"4550227500"}\n`);
  });

  it('prints the largest, with their share of the supply', async () => {
    const plain = await hindsightCommand('holders USDC --at 18000000 --largest 2');
    expect([plain.code, plain.err]).toEqual([0, TOLD]);
    expect(plain.out).toMatch(/^(0x\w{40} {2}[\d.]+ USDC {2}[\d.]+ %\n){2}$/);
    const csv = await hindsightCommand('holders USDC --at 18000000 --largest 2 --csv');
    expect(csv.out).toMatch(/^holder,balance,amount,share_ppm\n(0x\w{40},\d+,[\d.]+,\d+\n){2}$/);
  });

  it('prints the owner of an id', async () => {
    const { code, out } = await hindsightCommand(
      'holders 0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D --id 100 --at 18000000 --csv',
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^holder,balance,amount,error\n0x\w{40},1,1,\n$/);
  });

  it('writes a Parquet file, whole, and over no other', async () => {
    const words = 'holders USDC --at 18000000 --parquet held.parquet';
    const written = await hindsightCommand(words);
    expect([written.code, written.err]).toEqual([
      0,
      'held.parquet is complete\n21 holders at block 18000000, 1406495 together\n',
    ]);
    const { rows } = await readParquet(readFileSync(join(folder, 'held.parquet')));
    expect(rows).toHaveLength(21);
    expect(rows).toContainEqual([ALICE, '4550227500', 4550227500, '18000000', null]);
    const again = await hindsightCommand(words);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('held.parquet exists')]);
    expect(existsSync(join(folder, 'held.parquet.part'))).toBe(false);
  });

  it('says that a file was cut', async () => {
    const altered = alterAnswers((body) => body.replace(/PAR1$/, ''));
    const { code, err } = await hindsightCommand('holders USDC --parquet cut.parquet');
    altered.mockRestore();
    expect({ code, err }).toEqual({ code: 6, err: 'hindsight: the answer was cut\n' });
  });

  it('continues a file where it was interrupted, at the same block, and counts both parts', async () => {
    const written = await hindsightCommand('holders USDC --at 18000000 -o held.csv');
    expect([written.code, written.err]).toEqual([0, `${TOLD}held.csv is complete\n`]);
    const whole = readFileSync(join(folder, 'held.csv'), 'utf8');
    expect((await hindsightCommand('holders USDC -o held.csv')).code).toBe(2);
    const path = join(folder, 'held-part.csv');
    const tokens = ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'];
    const block_hash = '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0';
    writeFileSync(path, whole.slice(0, Math.floor(whole.length / 2)));
    writeFileSync(`${path}.resume`, JSON.stringify({ tokens, block_hash, block: 18_000_000 }));
    const other = await hindsightCommand('holders UNI -o held-part.csv --resume');
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('another token')]);
    const note = { tokens, block_hash, block: 18_000_000 };
    writeFileSync(`${path}.resume`, JSON.stringify({ ...note, holders: '0a' }));
    const snapshots = await hindsightCommand('holders USDC -o held-part.csv --resume');
    expect([snapshots.code, snapshots.err]).toEqual([
      2,
      expect.stringContaining('begun by hindsight snapshot'),
    ]);
    writeFileSync(`${path}.resume`, JSON.stringify({ ...note, from_block: 1 }));
    const moved = await hindsightCommand('holders USDC -o held-part.csv --resume');
    expect([moved.code, moved.err]).toEqual([2, expect.stringContaining('began at block 1')]);
    writeFileSync(`${path}.resume`, JSON.stringify(note));
    const earlier = await hindsightCommand('holders USDC -o held-part.csv --resume --at 17999999');
    expect([earlier.code, earlier.err]).toEqual([2, expect.stringContaining('is about block 18000000, ')]);
    const resumed = await hindsightCommand('holders USDC -o held-part.csv --resume');
    expect([resumed.code, resumed.err]).toEqual([0, `${TOLD}held-part.csv is complete\n`]);
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });
});
