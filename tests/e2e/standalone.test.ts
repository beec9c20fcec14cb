/** `npm start`, as someone meets it who has just cloned the repository. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { generateKey } from '@hindsight/projects/key.ts';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import { request } from 'undici';
import { runAdmin } from '../support/admin.ts';
import { runHindsight, startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';
import { startNodeInFront } from '../support/node-in-front.ts';
import { untilIndexed } from '../support/until-indexed.ts';

const BALANCE = `/v1/eth-mainnet/balance/single?token_address=${TOKENS.usdc.address}&holder=${HOLDERS.alice}`;

const TRIES = 20;

const folder = mkdtempSync(join(tmpdir(), 'hindsight-e2e-'));
let DATA_DIR = join(folder, 'data');
let running: HindsightProcess | undefined;

afterAll(async () => {
  await running?.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Ends what runs, and starts it with these settings. */
async function start(settings: Record<string, string> = {}): Promise<HindsightProcess> {
  await running?.end('SIGKILL');
  running = await startHindsight({ DATA_DIR, ...settings });
  return running;
}

async function expectCleanEnd(signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  const children = descendants(running!.child.pid!);
  const begun = performance.now();
  expect(await running!.end(signal)).toBe(0);
  // A process ends after ten seconds, whatever is still running.
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(await leftOf(children)).toEqual([]);
}

/** Sends the request of a curl line with fetch: curl itself may be missing on a new machine. */
async function runCurl(line: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const [, key = '', url = ''] = /-H 'x-api-key: (\S+)' '(\S+)'/.exec(line) ?? [];
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  const below = (parent: number): number[] =>
    pairs.filter(([, p]) => p === parent).flatMap(([c]) => [c, ...below(c)]);
  return below(pid);
}

/** The processes that remain after a while: a watchdog takes a moment to notice that its parent is gone. */
async function leftOf(pids: readonly number[]): Promise<number[]> {
  for (let i = 0; i < 600 && pids.some(isAlive); i++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  return pids.filter(isAlive);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function ask(
  path: string,
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const { url, demoKey } = running!;
  const response = await fetch(url + path, { headers: { 'x-api-key': demoKey } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as never };
}

/** The fastest of several attempts, because a busy machine may slow down any one. Stops once one is within the limit. */
async function quickest<Answer>(
  attempt: () => Promise<Answer>,
  limitMs: number,
): Promise<Answer & { milliseconds: number }> {
  let milliseconds = Infinity;
  for (let n = 1; ; n++) {
    const begun = performance.now();
    const answer = await attempt();
    milliseconds = Math.min(milliseconds, performance.now() - begun);
    if (milliseconds < limitMs || n === TRIES) return { ...answer, milliseconds };
  }
}

describe('npm start, started again and again on the same data,', () => {
  let demoKey: string;

  it('is ready within seconds, and its curl lines work as printed', async () => {
    const hindsight = await start();
    const { curls, readyAfterMs } = hindsight;
    demoKey = hindsight.demoKey;
    const output = hindsight.output();
    expect(output).toMatch(
      new RegExp(`^  export KEY=${demoKey}\n  export HINDSIGHT_API_KEY=${demoKey}$`, 'm'),
    );
    expect(output).toMatch(new RegExp(`^  data +${DATA_DIR} `, 'm'));
    process.stdout.write(`ready after ${Math.round(readyAfterMs)} ms\n`);
    expect(curls).toHaveLength(3);
    const answers = await Promise.all(curls.map(runCurl));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ body }) => body.token_symbol)).toEqual(['USDC', 'USDC', 'BAYC']);
    expect((await ask('/readyz')).body).toMatchObject({ status: 'ready' });
  });

  it('compresses a page of the token list on request, validates it by its tag in any coding, and has the same headers on a HEAD', async () => {
    const { url, demoKey } = running!;
    type Raw = Awaited<ReturnType<typeof request>> & { bytes: Buffer };
    const get = async (headers: Record<string, string>, method: 'GET' | 'HEAD' = 'GET'): Promise<Raw> => {
      const answer = await request(`${url}/v1/eth-mainnet/token`, {
        method,
        headers: { 'x-api-key': demoKey, ...headers },
      });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      if (answer.statusCode !== 429) return { ...answer, bytes };
      // The demo key's burst limit.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return get(headers, method);
    };
    // The list grows until all finalized blocks are read.
    await untilIndexed(url);
    const plain = await get({});
    expect((JSON.parse(plain.bytes.toString()) as { tokens: unknown[] }).tokens.length).toBeGreaterThan(9);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const coded = await get({ 'accept-encoding': 'gzip' });
    expect(coded.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(coded.bytes)).toEqual(plain.bytes);
    for (const known of [plain.headers.etag, coded.headers.etag] as string[]) {
      const { statusCode, bytes } = await get({ 'accept-encoding': 'gzip', 'if-none-match': known });
      expect([statusCode, bytes.length]).toEqual([304, 0]);
    }
    const head = await get({ 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.statusCode, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, coded.headers[name]]);
  });

  it('keeps its place on the dev chain apart from that on the chain of real nodes', async () => {
    const database = new DatabaseSync(join(DATA_DIR, 'orders.db'), { readOnly: true });
    const read = database.prepare('SELECT network FROM orders_watch WHERE number IS NOT NULL');
    const places = (): unknown[] => read.all().map(({ network }) => network);
    await until('it searches for ends of orders', () => places().length > 0);
    expect(places()).toEqual(['devchain']);
    database.close();
  });

  it('leaves nothing running after kill -9, and continues with the same data after a restart', async () => {
    const children = descendants(running!.child.pid!);
    expect(children.length).toBeGreaterThan(0);
    await running!.end('SIGKILL');
    expect(await leftOf(children)).toEqual([]);
    expect((await start()).demoKey).toBe(demoKey);
    expect((await ask(BALANCE)).status).toBe(200);
  });

  it('ends cleanly on SIGTERM', () => expectCleanEnd('SIGTERM'));

  it('accepts keys under the former secret during a change of the secret, with any other node, too', async () => {
    const SECRETS_KEY_PREVIOUS = readFileSync(join(DATA_DIR, 'secrets.key'), 'utf8').trim();
    const SECRETS_KEY = 'a new secret of some length';
    const devchain = await sharedDevchain(process.env);
    const ETH_RPC_URL = devchain.url;
    expect((await start({ SECRETS_KEY, SECRETS_KEY_PREVIOUS, ETH_RPC_URL })).demoKey).toBe(demoKey);
    expect((await ask(BALANCE)).status).toBe(200);
    const resealed = await runAdmin({ DATA_DIR, SECRETS_KEY, SECRETS_KEY_PREVIOUS }, 'secrets', 'reseal');
    expect(resealed).toMatchObject({ code: 0 });
    await expectCleanEnd('SIGINT');
    expect((await start({ SECRETS_KEY, ETH_RPC_URL })).demoKey).toBe(demoKey);
    const { status, body } = await ask(BALANCE);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_symbol: 'USDC', checked_at_block: devchain.head.number });
  });
});

describe('npm start on other data', () => {
  it('uses the demo key that is set; without a node it reports what is missing, and answers 503', async () => {
    const DEMO_KEY = generateKey();
    DATA_DIR = join(folder, 'other');
    const hindsight = await start({ DEMO_KEY, ETH_RPC_URL: 'http://127.0.0.1:1' });
    expect(hindsight.demoKey).toBe(DEMO_KEY);
    const output = hindsight.output();
    expect(output).toMatch(
      /^Hindsight runs at \S+, but cannot read its Ethereum node \(ETH_RPC_URL\): .*ECONNREFUSED\.$/m,
    );
    expect(output).not.toContain('is ready');
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toMatch(/"name":"[^"]*node[^"]*","ok":false/);
    const { status, headers, body, milliseconds } = await quickest(() => ask(BALANCE), 2_000);
    expect(milliseconds).toBeLessThan(2_000);
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body).toMatchObject({ error: 'Service Unavailable', statusCode: 503 });
  });

  it('waits for a slow node for as long as its settings say', async () => {
    const node = await startNodeInFront((await sharedDevchain(process.env)).url);
    await start({ ETH_RPC_URL: node.url, ETH_RPC_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '120000' });
    try {
      // Longer than a gateway waits if nothing is set.
      node.rules.delayMs = 15_500;
      expect((await ask(BALANCE)).status).toBe(200);
    } finally {
      await running!.end('SIGKILL');
      await node.close();
    }
  });

  it('lets a service end what takes too long, also where its settings give little time', async () => {
    const node = await startNodeInFront((await sharedDevchain(process.env)).url);
    const snapshotOf = async (holder: string): Promise<string> => {
      const { url, demoKey } = running!;
      const response = await fetch(
        `${url}/v1/eth-mainnet/balance/snapshot?token_address=${TOKENS.usdc.address}&block_height=18000000`,
        { method: 'POST', headers: { 'x-api-key': demoKey, 'content-type': 'text/plain' }, body: holder },
      );
      return response.text();
    };
    try {
      await start({ ETH_RPC_URL: node.url, ETH_RPC_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '3000' });
      // The block is known from now on.
      await until('a snapshot is whole', async () =>
        (await snapshotOf(HOLDERS.alice)).includes('"record":"end"'),
      );
      node.rules.fate = (_, calls) => (calls.some(({ method }) => method === 'eth_call') ? 'hang' : 'answer');
      expect(await snapshotOf(HOLDERS.bob)).toContain('"record":"end"');
    } finally {
      await running!.end('SIGKILL');
      await node.close();
    }
  });
});

describe('a start that fails', () => {
  it.each([
    ['/dev/null', "ENOTDIR: not a directory, access '/dev/null/.'"],
    ['/proc/a/b', "ENOENT: no such file or directory, mkdir '/proc/a'"],
  ])('reports in one line that %s is no folder to write to and exits with 1', async (place, why) => {
    const settings = { DATA_DIR: place, ETH_RPC_URL: 'http://127.0.0.1:1', LOG_LEVEL: 'silent' };
    expect(await runHindsight(settings)).toEqual({
      code: 1,
      output: `The configuration has a fault:\n  - DATA_DIR ${place} cannot be written to: ${why}\n`,
    });
  });

  it.each(['PORT', 'PORTAL_PORT', 'METRICS_PORT'])(
    'reports in one line that %s is taken and exits with 1',
    async (name) => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const { url } = await sharedDevchain(process.env);
      const { code, output } = await runHindsight({ DATA_DIR, ETH_RPC_URL: url, [name]: String(port) });
      other.close();
      expect(code).toBe(1);
      expect(output.match(/^.*EADDRINUSE.*$/gm)).toEqual([
        expect.stringMatching(`^port ${port} of 127.0.0.1 is taken .*: choose another with ${name}, `),
      ]);
      expect(output).not.toMatch(/^ +at |"stack"/m);
    },
  );
});
