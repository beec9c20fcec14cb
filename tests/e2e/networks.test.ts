/** Several networks in one process, added by settings alone: each answers as itself, whatever happens to the others. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmptyChain, type Anvil } from '@hindsight/devchain/anvil.ts';
import { OrderedRpc } from '@hindsight/devchain/rpc.ts';
import { CHAIN } from '@hindsight/devchain/world.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFastKey } from '../support/fast-key.ts';
import { startHindsight, type HindsightProcess } from '../support/hindsight-process.ts';

const HOLDER = '0x00000000000000000000000000000000000000aa';
const BLOCKS = 100;
const HEAD = CHAIN.genesis + BLOCKS;
/** Why a network whose node is gone has no answer. */
const AWAY_CODES = ['node_unavailable', 'node_timeout', 'overloaded'];

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

const folder = mkdtempSync(join(tmpdir(), 'hindsight-networks-'));
let chains: Record<'base-mainnet' | 'my-chain', Anvil>;
let hindsight: HindsightProcess;
let key: string;

async function chainOf(id: number, wei: bigint): Promise<Anvil> {
  const chain = await startEmptyChain({ chainId: id });
  const rpc = new OrderedRpc(chain.url);
  await rpc.call('anvil_setBalance', HOLDER, `0x${wei.toString(16)}`);
  await rpc.call('anvil_mine', `0x${BLOCKS.toString(16)}`);
  await rpc.close();
  return chain;
}

beforeAll(async () => {
  const [base, own] = await Promise.all([chainOf(8_453, 11n), chainOf(424_242, 22n)]);
  chains = { 'base-mainnet': base, 'my-chain': own };
  const file = join(folder, 'networks.json');
  const coin = { symbol: 'MINE', decimals: 18 };
  const entry = { name: 'my-chain', chain_id: 424_242, native_coin: coin, rpc_urls: [own.url] };
  writeFileSync(file, JSON.stringify([entry]));
  hindsight = await startHindsight({
    BASE_RPC_URL: base.url,
    NETWORKS_FILE: file,
    DATA_DIR: folder,
    TOKENS_FROM_BLOCK: String(CHAIN.genesis),
  });
  key = await makeFastKey(folder);
});
afterAll(async () => {
  await hindsight.end('SIGTERM');
  await Promise.all(Object.values(chains).map((chain) => chain.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, body?: unknown): Promise<Answer> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const sent = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(hindsight.url + path, sent);
  return { status: response.status, body: (await response.json()) as never };
}

const ether = (network: string, block: number | 'latest'): string =>
  `/v1/${network}/balance/native?holder=${HOLDER}${block === 'latest' ? '' : `&block_height=${block}`}`;

describe('networks that settings add', () => {
  it('are served, and no other', async () => {
    const { body } = await ask('/v1/networks');
    expect(body.networks).toEqual([
      expect.objectContaining({ network_name: 'base-mainnet', chain_id: 8_453 }),
      expect.objectContaining({
        network_name: 'my-chain',
        chain_id: 424_242,
        native_coin: { symbol: 'MINE', decimals: 18 },
        head: expect.objectContaining({ block_number: HEAD }),
      }),
    ]);
    const { status, body: refused } = await ask(ether('eth-mainnet', HEAD));
    expect([status, refused.message]).toEqual([
      404,
      'The network eth-mainnet is not served here; served: base-mainnet, my-chain',
    ]);
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

  it('each have a line of their own in /readyz', async () => {
    const { body } = await ask('/readyz?verbose');
    const names = (body.parts as { name: string }[]).map(({ name }) => name);
    for (const network of ['base-mainnet', 'my-chain']) {
      expect(names).toContain(`ethereum node of ${network}`);
      expect(names).toContain(`token index of ${network}`);
    }
  });

  it('harm each other in nothing: one’s node is killed under load', async () => {
    // Each block once, so that no answer comes from a memory.
    const blocks = Array.from({ length: 90 }, (_, at) => CHAIN.genesis + 1 + at);
    const killed = Promise.withResolvers<void>();
    const askAll = async (network: string): Promise<readonly Answer[]> => {
      const answers: Answer[] = [];
      for (const [at, block] of blocks.entries()) {
        if (at === 30 && network === 'my-chain') {
          await chains['my-chain'].stop();
          killed.resolve();
        }
        // The other has most of its questions once that node is gone.
        if (at === 30 && network === 'base-mainnet') await killed.promise;
        answers.push(await ask(ether(network, block)));
      }
      return answers;
    };
    const [base, own] = await Promise.all([askAll('base-mainnet'), askAll('my-chain')]);
    expect(base.filter(({ status }) => status !== 200)).toEqual([]);
    expect(own.slice(0, 30).every(({ status }) => status === 200)).toBe(true);
    for (const { body } of own.slice(30)) expect(AWAY_CODES).toContain(body.code);
  });

  it('say of the one that is away that it is', async () => {
    const { body } = await ask('/v1/networks');
    const [base, own] = body.networks as Record<string, unknown>[];
    expect(base).toMatchObject({ network_name: 'base-mainnet', head: { block_number: HEAD } });
    expect(own).toMatchObject({ network_name: 'my-chain', error: { statusCode: 503 } });
    const rows = ['my-chain', 'base-mainnet'].map((network) => ({
      ...{ network, token_address: 'native', holder: HOLDER, block_height: HEAD },
    }));
    const [gone, there] = (await ask('/v1/balance/batch', rows)).body as unknown as Answer['body'][];
    expect(gone).toMatchObject({ error: { statusCode: 503 } });
    expect(there).toMatchObject({ balance: '11' });
  });
});
