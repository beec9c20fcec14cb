/** Two networks in one process: nothing of one may ever be answered for the other. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { keccak256 } from 'ethers';
import { TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ETH_MAINNET, type Network } from '@hindsight/chain/networks.ts';
import { BALANCE_API } from '../src/service.ts';
import { FIRST, FIRST_TIME, startFakeNode, type FakeChain, type FakeNode } from './support/fake-node.ts';
import { runNetworks, type RunningBalance } from './support/run-balance.ts';

const TOKEN = '0x00000000000000000000000000000000000000AA';
const HOLDER = '0x00000000000000000000000000000000000000BB';
const SPENDER = '0x00000000000000000000000000000000000000CC';

/** Blocks with the same heights, hashes and times on both: only the amounts differ. */
const CHAINS: readonly (FakeChain & { readonly network: Network })[] = [
  chain('first-net', 1001, { wei: 11n, balance: 12n, allowance: 13n, named: `0x${'d1'.repeat(20)}` }),
  chain('second-net', 1002, { wei: 21n, balance: 22n, allowance: 23n, named: `0x${'d2'.repeat(20)}` }),
];
const [ONE, OTHER] = CHAINS as [(typeof CHAINS)[0], (typeof CHAINS)[0]];

function chain(name: string, chainId: number, answers: Omit<FakeChain, 'chainId'>) {
  const logs = [{ block: FIRST + 10, from: HOLDER, to: SPENDER, amount: 1n, event: TOPICS.approval }];
  return { chainId, ...answers, logs, network: { ...ETH_MAINNET, name, chainId } };
}

const WHENS: readonly (readonly [what: string, when: Readonly<Record<string, string>>])[] = [
  ['at a final height', { block_height: `${FIRST + 20}` }],
  ['at a date', { date: new Date((FIRST_TIME + 30) * 1000).toISOString() }],
  ['at a hash', { block_hash: `0x${(FIRST + 25).toString(16).padStart(64, '0')}` }],
  ['at the latest block', {}],
];

const ENDPOINTS = {
  'balance/single': { amount: 'balance', query: { token_address: TOKEN, holder: HOLDER } },
  'balance/native': { amount: 'wei', query: { holder: HOLDER } },
  'allowance/single': {
    amount: 'allowance',
    query: { token_address: TOKEN, owner: HOLDER, spender: SPENDER },
  },
} as const;
type Made = (typeof CHAINS)[0];

/** Those that are about more than one number or block, and what they answer on each chain. */
const OTHERS: readonly (readonly [
  path: string,
  body: unknown,
  answered: (made: Made) => Readonly<Record<string, unknown>>,
])[] = [
  [
    `code?address=${TOKEN}&block_height=${FIRST + 20}`,
    undefined,
    ({ chainId }) => ({ code_size: 5, code_hash: keccak256(`0x60${chainId.toString(16).padStart(8, '0')}`) }),
  ],
  [`block?block_height=${FIRST + 20}`, undefined, () => ({ block_number: FIRST + 20 })],
  [
    `supply?token_address=${TOKEN}&block_height=${FIRST + 20}`,
    undefined,
    ({ wei }) => ({ total_supply: String(10n ** 30n + wei) }),
  ],
  [
    `portfolio?holder=${HOLDER}&block_height=${FIRST + 20}`,
    undefined,
    ({ wei }) => ({ native_balance: String(wei) }),
  ],
  [
    `allowance/list?owner=${HOLDER}&block_height=${FIRST + 20}`,
    undefined,
    ({ allowance }) => ({ allowances: [expect.objectContaining({ allowance: String(allowance) })] }),
  ],
  [
    `balance/series?token_address=native&holder=${HOLDER}&from=${FIRST + 20}&to=${FIRST + 21}&step=1`,
    undefined,
    ({ wei }) => ({ points: Array(2).fill(expect.objectContaining({ balance: String(wei) })) }),
  ],
  [
    `balance/changes?token_address=${TOKEN}&holder=${HOLDER}&from=${FIRST + 20}&to=${FIRST + 30}`,
    undefined,
    () => ({ changes: [], through_block: FIRST + 30 }),
  ],
  [
    `balance/statement?token_address=native&holder=${HOLDER}&from=${FIRST + 20}&to=${FIRST + 30}&step=10`,
    undefined,
    ({ wei }) => ({ periods: [expect.objectContaining({ opening: String(wei), closing: String(wei) })] }),
  ],
  [
    'call',
    {
      target: TOKEN,
      function: 'balanceOf(address) returns (uint256)',
      args: [[HOLDER]],
      block_height: FIRST + 20,
    },
    ({ balance }) => ({ results: [{ values: [String(balance)] }] }),
  ],
  [
    'call/series',
    {
      ...{ target: TOKEN, function: 'balanceOf(address) returns (uint256)', args: [HOLDER] },
      ...{ from: FIRST + 20, to: FIRST + 30, step: 10 },
    },
    ({ balance }) => ({ points: Array(2).fill(expect.objectContaining({ values: [String(balance)] })) }),
  ],
];
const CASES = Object.keys(ENDPOINTS).flatMap((endpoint) =>
  WHENS.map(([what, when]) => [endpoint as keyof typeof ENDPOINTS, what, when] as const),
);

function path(
  network: Network,
  endpoint: keyof typeof ENDPOINTS,
  query: Readonly<Record<string, string>>,
): string {
  const given = { ...ENDPOINTS[endpoint].query, ...query };
  return `/v1/${network.name}/${endpoint}?${new URLSearchParams(given).toString()}`;
}

function recordOf(made: (typeof CHAINS)[0], endpoint: keyof typeof ENDPOINTS): Record<string, unknown> {
  const amount = made[ENDPOINTS[endpoint].amount].toString();
  const { name, chainId } = made.network;
  return {
    network_name: name,
    chain_id: chainId,
    ...(endpoint === 'allowance/single' ? { allowance: amount } : { balance: amount }),
  };
}

/** @param redisUrl answers are kept in this process where it gives none */
export function describeNetworks(redisUrl: () => string | undefined): void {
  let nodes: FakeNode[];
  const running: RunningBalance[] = [];

  /** A service with empty caches. */
  async function fresh(): Promise<RunningBalance> {
    const networks = CHAINS.map(({ network }, i) => ({ network, urls: [nodes[i]!.url] }));
    const url = redisUrl();
    const service = await runNetworks(networks, url === undefined ? {} : { redisUrl: url });
    running.push(service);
    return service;
  }

  beforeAll(async () => {
    nodes = await Promise.all(CHAINS.map((made) => startFakeNode(made)));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  });

  describe('of two networks', () => {
    it.each(CASES)(
      '%s %s is answered from its own node, the second time too',
      async (endpoint, _what, when) => {
        const service = await fresh();
        for (const made of [ONE, OTHER, ONE, OTHER]) {
          const { status, body } = await service.ask(path(made.network, endpoint, when));
          expect(status).toBe(200);
          expect(body).toMatchObject(recordOf(made, endpoint));
        }
      },
    );

    it.each(OTHERS)(
      '%s is answered from its own node, the second time too',
      async (asked, body, answered) => {
        const service = await fresh();
        for (const made of [ONE, OTHER, ONE, OTHER]) {
          const { name, chainId } = made.network;
          const { status, body: record } = await service.ask(`/v1/${name}/${asked}`, body);
          expect([status, record.message]).toEqual([200, undefined]);
          expect(record).toMatchObject({ network_name: name, chain_id: chainId, ...answered(made) });
        }
      },
    );

    it('rows of a batch and of a snapshot are answered from their own node', async () => {
      const service = await fresh();
      for (const { network, balance } of [ONE, OTHER, ONE]) {
        const rows = [{ token_address: TOKEN, holder: HOLDER, block_height: FIRST + 20 }];
        const batch = await service.ask(`/v1/${network.name}/balance/batch`, rows);
        expect(batch.body).toMatchObject([{ network_name: network.name, balance: String(balance) }]);
        const query = `token_address=${TOKEN}&block_height=${FIRST + 20}`;
        const response = await fetch(`${service.url}/v1/${network.name}/balance/snapshot?${query}`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: HOLDER,
        });
        const [facts, row] = (await response.text()).split('\n').slice(0, 2);
        expect(JSON.parse(facts!)).toMatchObject({ network_name: network.name });
        expect(JSON.parse(row!)).toMatchObject({ balance: String(balance) });
      }
    });

    it('a name resolves on its own network', async () => {
      const service = await fresh();
      for (const { network, named } of [ONE, OTHER, ONE]) {
        const query = { holder: 'alice.eth', block_height: `${FIRST + 20}` };
        const { body } = await service.ask(path(network, 'balance/native', query));
        expect(String(body.holder).toLowerCase()).toBe(named);
      }
    });

    it('answers cached by block are cached per network', async () => {
      const service = await fresh();
      const at = { block_height: `${FIRST + 40}` };
      for (const { network } of CHAINS) await service.ask(path(network, 'balance/single', at));
      const before = nodes.map(({ calls }) => calls);
      for (const made of CHAINS) {
        // Another URL of the same question, so that only the block's key can find the answer.
        const again = { ...at, holder: HOLDER.toLowerCase() };
        const { body } = await service.ask(path(made.network, 'balance/single', again));
        expect(body).toMatchObject(recordOf(made, 'balance/single'));
      }
      expect(nodes.map(({ calls }) => calls)).toEqual(before);
    });

    it('answers cached by another instance are not used for the other network', async () => {
      const at = { block_height: `${FIRST + 50}` };
      await (await fresh()).ask(path(ONE.network, 'balance/native', at));
      const second = await fresh();
      // It learns the block, and with it the hash that answers are kept by.
      await second.ask(path(OTHER.network, 'allowance/single', at));
      const { body } = await second.ask(path(OTHER.network, 'balance/native', at));
      expect(body).toMatchObject(recordOf(OTHER, 'balance/native'));
    });

    it('an ETag of one is not valid for the other', async () => {
      const service = await fresh();
      const at = { block_height: `${FIRST + 20}` };
      const { headers } = await service.ask(path(ONE.network, 'balance/native', at));
      const etag = headers.get('etag')!;
      const known = async ({ network }: (typeof CHAINS)[0]): Promise<number> => {
        const url = service.url + path(network, 'balance/native', at);
        return (await fetch(url, { headers: { 'if-none-match': etag } })).status;
      };
      expect([await known(ONE), await known(OTHER)]).toEqual([304, 200]);
      expect([await known(ONE), await known(OTHER)]).toEqual([304, 200]);
    });

    it('concurrent equal questions share no answer', async () => {
      const service = await fresh();
      for (const node of nodes) node.delayMs = 100;
      const asked = Array.from({ length: 10 }, () => CHAINS).flat();
      const answers = await Promise.all(
        asked.map(({ network }) => service.ask(path(network, 'balance/single', {}))),
      );
      for (const node of nodes) node.delayMs = 0;
      answers.forEach(({ body }, i) => {
        expect(body).toMatchObject(recordOf(asked[i]!, 'balance/single'));
      });
    });

    it('each has its own line in /readyz', async () => {
      const { body } = await (await fresh()).ask('/readyz');
      const names = (body.parts as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['ethereum node of first-net', 'ethereum node of second-net']),
      );
    });

    it.each(BALANCE_API.filter(({ path }) => path.includes(':network')))(
      '$method $path refuses a network that is not served',
      async ({ method, path }) => {
        const service = await fresh();
        const url = path.replace(':network', 'third-net');
        const headers = { 'content-type': path.endsWith('snapshot') ? 'text/plain' : 'application/json' };
        const sent = method === 'GET' ? {} : { method, headers, body: '[]' };
        const response = await fetch(service.url + url, sent);
        const { message } = (await response.json()) as { message: string };
        expect([response.status, message]).toEqual([
          404,
          'Unknown network third-net; supported: first-net, second-net',
        ]);
      },
    );

    it.each([
      ['eth-mainnet', 'The network eth-mainnet is not served here; served: first-net, second-net'],
      ['third-net', 'Unknown network third-net; supported: first-net, second-net'],
    ])('there is no third: %s', async (name, message) => {
      const service = await fresh();
      const { status, body } = await service.ask(`/v1/${name}/balance/native?holder=${HOLDER}`);
      expect([status, body.message]).toEqual([404, message]);
    });
  });
}
