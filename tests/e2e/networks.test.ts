/** Several networks in one process, added by settings alone: each answers as itself, whatever happens to the others. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFundedChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { until } from '@hindsight/kernel/test/support/until.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hindsight/client';
import { runAdmin } from '../support/admin.ts';
import { machineEnv } from '../support/machine.ts';
import { makeFastKey } from '../support/fast-key.ts';
import { runHindsight, startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';

const HOLDER = '0x00000000000000000000000000000000000000aa';
const BLOCKS = 100;
const HEAD = CHAIN.story + BLOCKS;
/** The first block that my-chain is answered from. */
const FIRST = CHAIN.story + 1;
/** Codes of a network whose node is unavailable. */
const UNAVAILABLE_CODES = ['node_unavailable', 'node_timeout', 'overloaded'];

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const CLI = resolve(import.meta.dirname, '../../clients/cli/src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
let chains: Record<'base-mainnet' | 'my-chain', Anvil>;
let hindsight: HindsightProcess;
let key: string;

const chainOf = (chainId: number, wei: bigint): Promise<Anvil> =>
  startFundedChain({ chainId, account: HOLDER, wei, blocks: BLOCKS });

beforeAll(async () => {
  const [base, own] = await Promise.all([chainOf(8_453, 11n), chainOf(424_242, 22n)]);
  chains = { 'base-mainnet': base, 'my-chain': own };
  const file = join(folder, 'networks.json');
  const coin = { symbol: 'MINE', decimals: 6 };
  const rest = { native_coin: coin, rpc_urls: [own.url], first_block: FIRST };
  const entry = { name: 'my-chain', chain_id: 424_242, ...rest };
  writeFileSync(file, JSON.stringify([entry]));
  hindsight = await startHindsight({
    BASE_RPC_URL: base.url,
    NETWORKS_FILE: file,
    DATA_DIR: folder,
    TOKENS_FROM_BLOCK: `0,base-mainnet=${CHAIN.story}`,
  });
  key = await makeFastKey(folder);
});
afterAll(async () => {
  await hindsight.end('SIGTERM');
  await Promise.all(Object.values(chains).map((chain) => chain.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, body?: unknown): Promise<Answer> {
  const accept = 'application/json, text/event-stream';
  const headers = { 'x-api-key': key, 'content-type': 'application/json', accept };
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(hindsight.url + path, sent);
  return { status: response.status, body: (await response.json()) as never };
}

type Listed = Readonly<Record<string, unknown>> & { readonly available?: object };

/** The list, once it has all of these networks: it waits for none that is slow, and says so. */
async function untilListed(...known: readonly string[]): Promise<readonly Listed[]> {
  let listed: readonly Listed[] = [];
  await until(`${known.join(' and ')} are listed`, async () => {
    const { body } = await ask('/v1/networks');
    listed = (body.networks ?? []) as readonly Listed[];
    const isKnown = ({ available }: Listed): boolean =>
      available !== undefined && !Object.values(available).includes(null);
    return known.every((name) => listed.some((one) => one.network_name === name && isKnown(one)));
  });
  return listed;
}

const ether = (network: string, block: number | 'latest'): string =>
  `/v1/${network}/balance/native?holder=${HOLDER}${block === 'latest' ? '' : `&block_height=${block}`}`;

describe('networks that settings add', () => {
  it('are listed whole, however the path is spelled', async () => {
    const listed = await untilListed('base-mainnet', 'my-chain');
    const { networks } = (await ask('/v1/%6eetworks?')).body;
    const availableOf = (of: unknown): unknown => (of as readonly Listed[]).map(({ available }) => available);
    expect(availableOf(networks)).toEqual(availableOf(listed));
  });

  it('are served, and no other', async () => {
    expect(await untilListed('base-mainnet', 'my-chain')).toEqual([
      expect.objectContaining({
        ...{ network_name: 'base-mainnet', chain_id: 8_453, first_block: CHAIN.story },
        available: {
          log_search: true,
          names: false,
          proofs_from: CHAIN.story,
          orders: true,
          index: false,
        },
      }),
      expect.objectContaining({
        ...{ network_name: 'my-chain', first_block: FIRST },
        available: expect.objectContaining({ orders: false, index: false }),
        chain_id: 424_242,
        native_coin: { symbol: 'MINE', decimals: 6 },
        head: expect.objectContaining({ block_number: HEAD }),
      }),
    ]);
    const { status, body: refused } = await ask(ether('eth-mainnet', HEAD));
    expect([status, refused.message]).toEqual([
      404,
      'The network eth-mainnet is not served here; served: base-mainnet, my-chain',
    ]);
  });

  it('are not answered before their first block', async () => {
    const { status, body } = await ask(ether('my-chain', FIRST - 1));
    expect([status, body.message]).toEqual([
      400,
      `block_height: block ${FIRST - 1} is before block ${FIRST}, the first that my-chain is answered from`,
    ]);
    expect((await ask(ether('my-chain', FIRST))).status).toBe(200);
  });

  it('answer from their own chain, in every way', async () => {
    for (const [network, balance] of [
      ['base-mainnet', '11'],
      ['my-chain', '22'],
    ] as const) {
      const { body } = await ask(ether(network, HEAD));
      expect(body).toMatchObject({ network_name: network, balance, checked_at_block: HEAD });
      expect((await ask(`/v1/${network}/token`)).body).toMatchObject({ total: 0 });
    }
    const rows = ['my-chain', 'base-mainnet'].map((network) => ({
      ...{ network, token_address: 'native', holder: HOLDER, block_height: HEAD },
    }));
    expect((await ask('/v1/balance/batch', rows)).body).toMatchObject([{ balance: '22' }, { balance: '11' }]);
  });

  it('are shown in their own coins by the clients', async () => {
    const client = createClient({ url: hindsight.url, apiKey: key });
    const rows = ['my-chain', 'base-mainnet'].map((network) => ({
      ...{ network, token: 'native', holder: HOLDER, block: HEAD },
    }));
    const amounts = (await client.balances.batch(rows)).map((row) => ('format' in row ? row.format() : row));
    expect(amounts).toEqual(['0.000022', '0.000000000000000011']);
    const own = client.on('my-chain');
    const question = { token: 'native', holder: HOLDER, block: HEAD } as const;
    expect((await own.balance.at(question)).format()).toBe('0.000022');
    expect(await own.nativeCoin()).toEqual({ symbol: 'MINE', decimals: 6 });
    await expect(client.on('op-mainnet').nativeCoin()).rejects.toThrow(
      'The network op-mainnet is not served here; served: base-mainnet, my-chain',
    );

    const words = ['balance', 'mine', HOLDER, '--network', 'my-chain', '--at', String(HEAD)];
    const env = { ...machineEnv(), HINDSIGHT_URL: hindsight.url, HINDSIGHT_API_KEY: key };
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...words], { env });
    expect(stdout).toMatch(/^0\.000022 MINE /);

    const asked = { token: 'native', holder: HOLDER, at: String(HEAD) };
    const call = { name: 'balances', arguments: { network: 'my-chain', questions: [asked] } };
    const { result } = (await ask('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }))
      .body as { result: { structuredContent: unknown } };
    expect(result.structuredContent).toMatchObject({
      answers: [{ balance: '22', balance_formatted: '0.000022 MINE', token_decimals: 6 }],
    });
  });

  it('have the decimals of their own coins in lists and tables', async () => {
    const own = createClient({ url: hindsight.url, apiKey: key, network: 'my-chain' });
    const [row] = await Array.fromAsync(own.snapshot([HOLDER], { token: 'native', block: HEAD }));
    expect(row?.format()).toBe('0.000022');
    const range = `holder=${HOLDER}&from=${FIRST}&to=${HEAD}`;
    const { body } = await ask(`/v1/my-chain/wallet/changes?token_address=native&${range}`);
    expect(body.tokens).toMatchObject([{ token_address: 'native', token_decimals: 6 }]);
    for (const path of [
      `balance/series?token_address=native&${range}&points=2`,
      `balance/statement?token_address=native&${range}&step=100`,
      `portfolio?holder=${HOLDER}&block_height=${HEAD}`,
    ]) {
      const headers = { 'x-api-key': key, accept: 'text/csv' };
      const table = await (await fetch(`${hindsight.url}/v1/my-chain/${path}`, { headers })).text();
      const [columns, cells] = table.split('\r\n').map((line) => line.split(','));
      expect([path, cells?.[columns!.indexOf('token_decimals')]]).toEqual([path, '6']);
    }
  });

  it('each have a line of their own in /readyz', async () => {
    const { body } = await ask('/readyz?verbose');
    const names = (body.parts as { name: string }[]).map(({ name }) => name);
    for (const network of ['base-mainnet', 'my-chain']) {
      expect(names).toContain(`ethereum node of ${network}`);
      expect(names).toContain(`token index of ${network}`);
    }
    // Of the two, one has reactors.
    expect(names).toContain('ends of orders');
  });

  it('are named by their chain ids in the actions of Etherscan’s API', async () => {
    const block = CHAIN.story + 1;
    const etherscan = async (chainid: string): Promise<unknown> => {
      const asked = { chainid, module: 'account', action: 'balancehistory', address: HOLDER };
      const query = new URLSearchParams({ ...asked, blockno: String(block) });
      return (await ask(`/api?${query.toString()}`)).body;
    };
    for (const [network, id] of [
      ['base-mainnet', '8453'],
      ['my-chain', '424242'],
    ] as const) {
      const { balance } = (await ask(ether(network, block))).body;
      const answer = { status: '1', message: 'OK', result: balance };
      expect([await etherscan(id), await etherscan(network)]).toEqual([answer, answer]);
    }
    const served = '; served: 8453 (base-mainnet), 424242 (my-chain)';
    expect(await etherscan('424243')).toMatchObject({ status: '0', result: expect.stringContaining(served) });
  });

  it('have an index of holders each, which the administration fills', async () => {
    const transfers = (network: string): Promise<Answer> => ask(`/v1/${network}/transfers?holder=${HOLDER}`);
    expect((await transfers('my-chain')).status).toBe(409);
    const settings = { DATA_DIR: folder, NETWORKS_FILE: join(folder, 'networks.json') };
    const words = ['index', 'add', 'all', '--network', 'my-chain', '--from', String(CHAIN.story), '--json'];
    const { code, stdout, stderr } = await runAdmin(settings, ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ fromBlock: CHAIN.story, isTaken: true });
    await until('it is indexed', async () => (await transfers('my-chain')).status === 200);
    expect((await transfers('my-chain')).body).toMatchObject({ network_name: 'my-chain', transfers: [] });
    expect((await transfers('base-mainnet')).status).toBe(409);
  });

  it('are refused at the start where a node is on another chain, with both ids', async () => {
    const wrong = { OP_RPC_URL: chains['base-mainnet'].url, BASE_RPC_URL: chains['base-mainnet'].url };
    const dataDir = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
    const { code, output } = await runHindsight({ ...wrong, DATA_DIR: dataDir });
    rmSync(dataDir, { recursive: true });
    expect(code).toBe(1);
    expect(output).toContain('is on chain 8453, not on 10: set a node of op-mainnet');
  });

  it('do not affect each other: the node of one is killed under load', async () => {
    // Each block once, so that no answer comes from a memory.
    const blocks = Array.from({ length: 90 }, (_, at) => CHAIN.story + 1 + at);
    const killed = Promise.withResolvers<void>();
    const askAll = async (network: string): Promise<readonly Answer[]> => {
      const answers: Answer[] = [];
      for (const [at, block] of blocks.entries()) {
        if (at === 30 && network === 'my-chain') {
          await chains['my-chain'].stop();
          killed.resolve();
        }
        // The other has most of its questions once that node is killed.
        if (at === 30 && network === 'base-mainnet') await killed.promise;
        answers.push(await ask(ether(network, block)));
      }
      return answers;
    };
    const [base, own] = await Promise.all([askAll('base-mainnet'), askAll('my-chain')]);
    expect(base.filter(({ status }) => status !== 200)).toEqual([]);
    expect(own.slice(0, 30).every(({ status }) => status === 200)).toBe(true);
    for (const { body } of own.slice(30)) expect(UNAVAILABLE_CODES).toContain(body.code);
  });

  it('report the one that is unavailable', async () => {
    const [base, own] = await untilListed('base-mainnet');
    expect(base).toMatchObject({ network_name: 'base-mainnet', head: { block_number: HEAD } });
    expect(own).toMatchObject({ network_name: 'my-chain', error: { statusCode: 503 } });
    const rows = ['my-chain', 'base-mainnet'].map((network) => ({
      ...{ network, token_address: 'native', holder: HOLDER, block_height: HEAD },
    }));
    const [killed, other] = (await ask('/v1/balance/batch', rows)).body as unknown as Answer['body'][];
    expect(killed).toMatchObject({ error: { statusCode: 503 } });
    expect(other).toMatchObject({ balance: '11' });
    // A report is a second old, and a check of a busy machine may be late.
    await until('it is ready, and the killed node is not', async () => {
      const { status, body: ready } = await ask('/readyz');
      const isOk = (part: string): boolean | undefined =>
        (ready.parts as { name: string; ok: boolean }[]).find(({ name }) => name === part)?.ok;
      const isReady = status === 200 && ready.status === 'ready';
      return isReady && isOk('ethereum node of my-chain') === false;
    });
  });
});
