/** The cost of an uncached answer at the node, in HTTP requests. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedDevchain } from '@hindsight/tools/servers/shared-devchain.ts';
import type { Devchain } from '@hindsight/devchain/devchain.ts';
import { HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { startLongChain, weiAt, type LongChain } from '@hindsight/chain/test/support/long-chain.ts';
import type { Feed } from '../../src/feeds.ts';
import { parseFunction } from '../../src/domain/call/signature.ts';
import { startNodeProxy, type NodeProxy } from '@hindsight/chain/test/support/node-proxy.ts';
import { runBalance } from '../support/run-balance.ts';

const { alice, market } = HOLDERS;
const UNI = TOKENS.uni.address;

interface Cost {
  readonly requests: number;
  readonly body: Record<string, unknown>;
}

/** Asks a service with empty caches. */
async function costOf(
  node: { url: string; requests: () => number },
  endpoint: string,
  query: Record<string, string>,
  feeds: readonly Feed[] = [],
): Promise<Cost> {
  const service = await runBalance(node.url, { feeds });
  try {
    const before = node.requests();
    const { status, body } = await service.ask(
      `/v1/eth-mainnet/${endpoint}?${new URLSearchParams(query).toString()}`,
    );
    expect([status, body.message]).toEqual([200, undefined]);
    return { requests: node.requests() - before, body };
  } finally {
    await service.stop();
  }
}

describe('at a proxy before the dev chain', () => {
  let devchain: Devchain;
  let proxy: NodeProxy;

  beforeAll(async () => {
    devchain = await sharedDevchain(process.env);
    proxy = await startNodeProxy(devchain.url);
  });
  afterAll(async () => {
    await proxy.close();
    await devchain.stop();
  });

  const heights = [LANDMARKS.aliceApproves, LANDMARKS.aliceApprovesAgain, LANDMARKS.aliceRevokes - 1];
  const cost = async (endpoint: string, query: Record<string, string>, height?: number): Promise<number> => {
    const when = height === undefined ? {} : { block_height: String(height) };
    const node = { url: proxy.url, requests: () => proxy.requests };
    return (await costOf(node, endpoint, { ...query, ...when })).requests;
  };

  it.each([
    ['balance/single', { token_address: UNI, holder: alice }],
    ['balance/native', { holder: alice }],
    ['allowance/single', { token_address: UNI, owner: alice, spender: market }],
  ] as [string, Record<string, string>][])('%s is one request at any height', async (endpoint, query) => {
    for (const height of heights) expect([height, await cost(endpoint, query, height)]).toEqual([height, 1]);
  });

  it.each([
    ['balance/single', { token_address: UNI, holder: alice }],
    ['balance/native', { holder: alice }],
    ['allowance/single', { token_address: TOKENS.usdc.address, owner: alice, spender: market }],
  ] as [string, Record<string, string>][])(
    '%s is one request at the latest block',
    async (endpoint, query) => {
      expect(await cost(endpoint, query)).toBe(1);
    },
  );

  it.each([
    ['balance/single', { token_address: UNI, holder: 'alice.eth' }],
    ['balance/native', { holder: 'alice.eth' }],
    ['allowance/single', { token_address: UNI, owner: 'alice.eth', spender: market }],
  ] as [string, Record<string, string>][])(
    '%s is two requests at most with a name',
    async (endpoint, query) => {
      for (const height of heights) expect(await cost(endpoint, query, height)).toBeLessThanOrEqual(2);
    },
  );
});

describe('many calls, at a proxy before the dev chain', () => {
  const height = LANDMARKS.savingsEarn;
  let proxy: NodeProxy;
  beforeAll(async () => {
    proxy = await startNodeProxy((await sharedDevchain(process.env)).url);
  });
  afterAll(() => proxy.close());

  const tokens = [TOKENS.savings.address, UNI];
  const shared = { network: 'eth-mainnet', tokens, name: 'a row', source: 'https://example.org' };
  const rate = (contract: string): Feed => {
    const called = parseFunction('totalSupply() returns (uint256)');
    return { kind: 'rate', ...shared, contract, function: called, args: [], decimals: 18, quote: '' };
  };
  const round = (contract: string): Feed => {
    return { kind: 'chainlink', ...shared, contract, quote: 'USD', heartbeat_seconds: 60 };
  };
  const rates = Array.from({ length: 16 }, (_, i) => rate([UNI, TOKENS.weth.address][i % 2]!));
  /** Contracts that are not there, and that revert. */
  const silent = [...Object.values(HOLDERS).slice(0, 8), ...Array(8).fill(UNI)].map(round);

  it.each([
    ['a vault and 16 rates', TOKENS.savings.address, rates, [null, ...rates.map(() => null)], 3],
    [
      '16 feeds without an answer',
      UNI,
      silent,
      silent.map((_, i) => (i < 8 ? 'no_contract' : 'reverted')),
      6,
    ],
  ] as [string, string, readonly Feed[], readonly (string | null)[], number][])(
    'value/reads of %s is few requests',
    async (_what, token, feeds, reasons, most) => {
      const query = { token_address: token, block_height: String(height) };
      const node = { url: proxy.url, requests: () => proxy.requests };
      const { requests, body } = await costOf(node, 'value/reads', query, feeds);
      expect((body.reads as { reason: string | null }[]).map(({ reason }) => reason)).toEqual(reasons);
      expect(requests).toBeLessThanOrEqual(most);
    },
  );

  it('scores by ten strategies are four requests at the most', async () => {
    const service = await runBalance(proxy.url);
    const strategies = [
      UNI,
      TOKENS.weth.address,
      TOKENS.usdc.address,
      TOKENS.mkr.address,
      TOKENS.bayc.address,
    ]
      .flatMap((address) => [address, address])
      .map((address) => ({ name: 'erc20-balance-of', params: { address } }));
    const params = { network: '1', snapshot: height, strategies, addresses: Object.values(HOLDERS) };
    try {
      const before = proxy.requests;
      const { status, body } = await service.ask('/v1/scores', { params });
      expect([status, body.message]).toEqual([200, undefined]);
      expect((body.result as { scores: object[] }).scores).toHaveLength(10);
      expect(proxy.requests - before).toBeLessThanOrEqual(4);
    } finally {
      await service.stop();
    }
  });
});

describe('a name over a range, at a proxy before the dev chain', () => {
  let proxy: NodeProxy;
  beforeAll(async () => {
    proxy = await startNodeProxy((await sharedDevchain(process.env)).url);
  });
  afterAll(() => proxy.close());

  const range = { token_address: UNI, from: '17999900', to: '18000000' };
  const cost = async (endpoint: string, query: Record<string, string>): Promise<number> =>
    (await costOf({ url: proxy.url, requests: () => proxy.requests }, endpoint, { ...range, ...query }))
      .requests;

  it.each([
    ['balance/series', { step: '10' }],
    ['balance/changes', {}],
    ['balance/statement', { step: '50' }],
  ] as [string, Record<string, string>][])(
    '%s is eight requests more than by address',
    async (endpoint, query) => {
      const byAddress = await cost(endpoint, { ...query, holder: alice });
      const byName = await cost(endpoint, { ...query, holder: 'alice.eth' });
      expect(byName - byAddress).toBeLessThanOrEqual(8);
    },
  );

  it('balance/series is one request more for each of its points where each resolves the name', async () => {
    const byAddress = await cost('balance/series', { step: '10', holder: alice });
    const byName = await cost('balance/series', { step: '10', holder: 'alice.eth', resolve: 'each' });
    expect(byName - byAddress).toBeLessThanOrEqual(11);
  });
});

describe('at a chain as long as mainnet', () => {
  const LENGTH = 20_000_000;
  const wei = weiAt;
  let times: Uint32Array;
  let chain: LongChain;

  beforeAll(async () => {
    chain = await startLongChain(LENGTH, alice);
    ({ times } = chain);
  });
  afterAll(() => chain.close());

  it.each([1, 46_147, 4_369_999, 4_370_000, 15_537_394])(
    'an amount at block %i is one request, also before Byzantium',
    async (height) => {
      const query = { holder: alice, block_height: String(height) };
      const { requests, body } = await costOf(chain, 'balance/native', query);
      expect([requests, body.balance]).toEqual([1, String(wei(height))]);
    },
  );

  it.each([3_500_000, 4_369_999])(
    'a name is two requests also before Byzantium: at block %i',
    async (height) => {
      const query = { holder: 'alice.eth', block_height: String(height) };
      const { requests, body } = await costOf(chain, 'balance/native', query);
      expect([requests, body.holder, body.balance]).toEqual([2, alice, String(wei(height))]);
    },
  );

  it('the 365 days of a year are 24 requests at most, and few where the days are known', async () => {
    const day = 86_400;
    const from = Math.floor(times[LENGTH - 1]! / day) * day - 400 * day;
    const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
    const query = { token_address: 'native', from: iso(from), to: iso(from + 364 * day), step: '1d' };
    const service = await runBalance(chain.url);
    try {
      const costs: number[] = [];
      for (const holder of [alice, market]) {
        const before = chain.requests();
        const text = new URLSearchParams({ ...query, holder }).toString();
        const { body } = await service.ask(`/v1/eth-mainnet/balance/series?${text}`);
        costs.push(chain.requests() - before);
        const points = body.points as { instant: string; block: number; balance: string }[];
        expect(points.map(({ instant }) => instant)).toEqual(
          Array.from({ length: 365 }, (_, i) => iso(from + i * day)),
        );
        points.forEach(({ block, balance }, i) => {
          const meant = from + i * day;
          expect([times[block]! <= meant, times[block + 1]! > meant, balance]).toEqual([
            true,
            true,
            String(wei(block)),
          ]);
        });
      }
      expect(costs[0]).toBeLessThanOrEqual(24);
      expect(costs[1]).toBeLessThanOrEqual(4);
    } finally {
      await service.stop();
    }
  });

  it('a date is eight requests at most, the amount included', async () => {
    const span = times[LENGTH - 1]! - times[0]!;
    const costs: number[] = [];
    for (let i = 1; i <= 20; i++) {
      const seconds = times[0]! + Math.floor(span * ((i * 0.618_033_988_75) % 1));
      const date = new Date(seconds * 1_000).toISOString();
      const { requests, body } = await costOf(chain, 'balance/native', { holder: alice, date });
      const height = body.checked_at_block as number;
      expect([date, times[height]! <= seconds && times[height + 1]! > seconds]).toEqual([date, true]);
      expect(body.balance).toBe(String(wei(height)));
      costs.push(requests);
    }
    expect(Math.max(...costs)).toBeLessThanOrEqual(8);
  });
});
