/** Nodes that are behind the pinned block: what is searched in logs is never a short list that calls itself complete. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  startBalancer,
  type Balancer,
  type LaggingNode,
} from '@hindsight/chain/test/support/lagging-nodes.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { loadArtifact } from '@hindsight/devchain/artifacts.ts';
import { mine } from '@hindsight/devchain/control.ts';
import { startDevchain, type Devchain } from '@hindsight/devchain/devchain.ts';
import { CHAIN, HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { runBalance, type RunningBalance } from './support/run-balance.ts';

const { alice, bob } = HOLDERS;
const UNI = TOKENS.uni.address;
/** In the last block, alice sends this much to a new address, which allows bob to spend as much. */
const SENT = 42n;
const ALLOWED = 7n;
const HEAD = CHAIN.head + 4;

let devchain: Devchain;
const open: (Balancer | RunningBalance)[] = [];

beforeAll(async () => {
  devchain = await startDevchain();
  for (let height = CHAIN.head + 1; height < HEAD; height++) await mine(devchain.url);
  const { interface: abi } = loadArtifact('UniToken');
  const send = (from: string, data: string): Promise<unknown> =>
    askNode(devchain.url, 'eth_sendTransaction', { from, to: UNI, data, gas: '0x30d40', gasPrice: '0x0' });
  await send(alice, abi.encodeFunctionData('transfer', [UNUSED_ADDRESS, SENT]));
  await send(UNUSED_ADDRESS, abi.encodeFunctionData('approve', [bob, ALLOWED]));
  await mine(devchain.url);
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await ('close' in one ? one.close() : one.stop());
});
afterAll(() => devchain.stop());

/** A service over URLs, each over nodes. */
async function over(
  urls: readonly (readonly LaggingNode[])[],
  splits = false,
): Promise<{ service: RunningBalance; balancers: readonly Balancer[] }> {
  const balancers = await Promise.all(urls.map((nodes) => startBalancer(devchain.url, nodes, { splits })));
  const service = await runBalance(balancers.map(({ url }) => url));
  open.push(...balancers, service);
  return { service, balancers };
}

const WELL: LaggingNode = { lag: 0, beyond: 'part' };
const behind = (lag: number, beyond: LaggingNode['beyond'] = 'part'): LaggingNode => ({ lag, beyond });
/** It has the head and no logs. */
const WITHOUT_LOGS: LaggingNode = {
  ...WELL,
  fault: (method) => (method === 'eth_getLogs' ? 'the method eth_getLogs does not exist' : undefined),
};

/** Result for the last block; `refused` if the answer does not claim to be complete. */
type Found = 'all' | 'refused' | 'a short list';
const QUESTIONS: readonly (readonly [what: string, ask: (service: RunningBalance) => Promise<Found>])[] = [
  [
    'portfolio',
    async (service) => {
      const { status, body } = await service.ask(
        `/v1/eth-mainnet/portfolio?holder=${UNUSED_ADDRESS}&block_height=${HEAD}`,
      );
      return judge(status, body, [[UNI, String(SENT)]], ({ token_address, balance }) => [
        token_address,
        balance,
      ]);
    },
  ],
  [
    'allowance/list',
    async (service) => {
      const { status, body } = await service.ask(
        `/v1/eth-mainnet/allowance/list?owner=${UNUSED_ADDRESS}&block_height=${HEAD}`,
      );
      return judge(status, body, [[UNI, bob, String(ALLOWED)]], (row) => [
        row.token_address,
        row.spender,
        row.allowance,
      ]);
    },
  ],
  [
    'balance/changes',
    async (service) => {
      const path = `/v1/eth-mainnet/balance/changes?token_address=${UNI}&holder=${UNUSED_ADDRESS}`;
      const { status, body } = await service.ask(`${path}&from=${CHAIN.head}&to=${HEAD}`);
      return judge(status, body, [[HEAD, 'transfer']], ({ block, cause }) => [block, cause]);
    },
  ],
];

type Row = Readonly<Record<string, unknown>>;

function judge(status: number, body: Row, expected: unknown, toRow: (row: Row) => unknown): Found {
  if (status !== 200) {
    expect([status, body.code]).toEqual([502, expect.stringMatching(/^(block_unavailable|node_failed)$/)]);
    return 'refused';
  }
  const rows = (body.tokens ?? body.allowances ?? body.changes) as readonly Row[];
  return JSON.stringify(rows.map(toRow)) === JSON.stringify(expected) ? 'all' : 'a short list';
}

const BEYOND: readonly LaggingNode['beyond'][] = [
  'part',
  'nothing',
  { refusal: 'invalid block range params' },
  { refusal: 'block range extends beyond current head block' },
];

describe.each(QUESTIONS)('%s', (_what, ask) => {
  it.each(BEYOND.flatMap((beyond) => [1, 3].map((lag) => [lag, beyond] as const)))(
    'is not answered from logs of a node %i behind, which answers %j beyond its head',
    async (lag, beyond) => {
      const { service } = await over([[WITHOUT_LOGS], [behind(lag, beyond)]]);
      expect(await ask(service)).toBe('refused');
    },
  );

  it('is answered in full where one node of several has the block', async () => {
    const { service } = await over([[WITHOUT_LOGS], [behind(2)], [behind(1, 'nothing')], [WELL]]);
    expect(await ask(service)).toBe('all');
  });

  it.each([false, true])(
    'is answered in full by a URL over several (splits requests: %s)',
    async (splits) => {
      const { service } = await over([[WELL, WELL, behind(2), WELL, WELL, behind(1, 'nothing')]], splits);
      const found: Found[] = [];
      const full = (): number => found.filter((one) => one === 'all').length;
      // Each question meets other nodes, which depends on the moment as well: asked until some have met those that are well.
      while (found.length < 8 || full() < 3) found.push(await ask(service));
      expect(found).not.toContain('a short list');
    },
  );
});

describe('a reorganisation between the pin of the newest block and the search of its logs', () => {
  it.each([
    [`portfolio?holder=${UNUSED_ADDRESS}`, 'tokens', 'balance', String(SENT)],
    [`allowance/list?owner=${UNUSED_ADDRESS}`, 'allowances', 'allowance', String(ALLOWED)],
  ])('is followed: %s', async (path, rows, field, amount) => {
    const { service, balancers } = await over([[WELL]]);
    const [balancer] = balancers;
    const snapshot = await askNode(devchain.url, 'evm_snapshot');
    await mine(devchain.url);
    let after: string | undefined;
    balancer!.before = async (methods) => {
      if (after !== undefined || !methods.includes('eth_getLogs')) return;
      after = '';
      await askNode(devchain.url, 'evm_revert', snapshot);
      await mine(devchain.url, { timestamp: CHAIN.headTime + 1_000 });
      after = ((await askNode(devchain.url, 'eth_getBlockByNumber', 'latest', false)) as { hash: string })
        .hash;
    };
    const { status, body } = await service.ask(`/v1/eth-mainnet/${path}`);
    expect([status, body.block_hash]).toEqual([200, after]);
    expect(body[rows]).toMatchObject([{ [field]: amount }]);
  });
});
