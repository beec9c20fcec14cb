import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, CONTRACTS, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runBehindProxy } from '../../test/support/on-devchain.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runBehindProxy, 'stop');
const { ledger, blocks, genesis } = buildPlan();
const { alice, treasury, vault } = HOLDERS;
const UNI = TOKENS.uni.address;
const times = new Map([genesis, ...blocks].map(({ number, timestamp }) => [number, timestamp]));

interface Point {
  readonly instant: string | null;
  readonly date: string;
  readonly block: number;
  readonly block_hash: string;
  readonly balance: string | null;
  readonly reason?: string;
}

type Query = Record<string, string | number | undefined>;
const path = (query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined) as [string, string][];
  return `/v1/eth-mainnet/balance/series?${new URLSearchParams(given).toString()}`;
};
const ask = (query: Query): ReturnType<RunningBalance['ask']> => balance.ask(path(query));
const pointsOf = async (query: Query): Promise<readonly Point[]> => {
  const { status, body } = await ask(query);
  expect([status, body.message]).toEqual([200, undefined]);
  return body.points as Point[];
};
const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The last block at or before a moment, by a linear scan. */
function blockAt(seconds: number): number {
  return Math.max(...[...times].filter(([, time]) => time <= seconds).map(([number]) => number));
}

describe('GET balance/series', () => {
  it('has a point every given number of blocks, with every field', async () => {
    const { status, headers, body } = await ask({
      token_address: UNI.toLowerCase(),
      holder: 'alice.eth',
      from: 17_999_980,
      to: 18_000_000,
      step: 10,
    });
    expect(status).toBe(200);
    const singles = await Promise.all(
      [17_999_980, 17_999_990, 18_000_000].map((height) =>
        balance.ask(
          `/v1/eth-mainnet/balance/single?token_address=${UNI}&holder=${alice}&block_height=${height}`,
        ),
      ),
    );
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      token_address: UNI,
      token_name: 'Uniswap',
      token_symbol: 'UNI',
      token_type: 'erc20',
      token_decimals: 18,
      holder: alice,
      holder_resolved_at: { block: 18_000_000, block_hash: singles[2]!.body.block_hash },
      finalized: true,
      points: singles.map(({ body: single }) => ({
        instant: null,
        date: single.checked_at_date,
        block: single.checked_at_block,
        block_hash: single.block_hash,
        balance: single.balance,
      })),
    });
    expect(headers.get('x-hindsight-units')).toBe('1');
  });

  it.each([
    ['UNI', UNI],
    ['stETH, which rebases', TOKENS.steth.address],
    ['apes', TOKENS.bayc.address],
  ])('matches the ledger at every block of the chain: %s', async (_what, token) => {
    for (const holder of [alice, treasury, vault]) {
      const points = await pointsOf({
        token_address: token,
        holder,
        from: 17_999_860,
        to: CHAIN.head,
        step: 1,
      });
      expect(points.map(({ block, balance: amount }) => [block, amount])).toEqual(
        Array.from({ length: CHAIN.head - 17_999_859 }, (_, i) => [
          17_999_860 + i,
          ledger.balanceAt(token, holder, 17_999_860 + i).toString(),
        ]),
      );
    }
  });

  it('is about ether, too', async () => {
    const { body } = await ask({
      token_address: 'native',
      holder: treasury,
      from: CHAIN.story,
      to: CHAIN.head,
      step: 50,
    });
    expect(body).not.toHaveProperty('token_name');
    const points = body.points as Point[];
    expect(points.map(({ balance: amount }) => amount)).toEqual(
      points.map(({ block }) => ledger.nativeAt(treasury, block).toString()),
    );
    expect(points).toHaveLength(7);
  });

  it('steps through time: each point is the last block at or before its moment', async () => {
    const from = CHAIN.storyTime + 7;
    const points = await pointsOf({
      token_address: UNI,
      holder: alice,
      from: iso(from),
      to: iso(CHAIN.headTime),
      points: 120,
    });
    expect(points).toHaveLength(120);
    points.forEach(({ instant, date, block, balance: amount }, i) => {
      const meant = from + Math.round(((CHAIN.headTime - from) * i) / 119);
      expect([instant, block]).toEqual([iso(meant), blockAt(meant)]);
      expect(date).toBe(iso(times.get(block)!));
      if (block >= TOKENS.uni.since) expect(amount).toBe(ledger.balanceAt(UNI, alice, block).toString());
    });
    const hours = await pointsOf({
      token_address: 'native',
      holder: alice,
      from: CHAIN.story,
      to: CHAIN.head,
      step: '1h',
    });
    expect(hours.map(({ instant }) => instant)).toEqual([iso(CHAIN.storyTime), iso(CHAIN.storyTime + 3_600)]);
  });

  it('counts months by the calendar of the zone in which it begins', async () => {
    const query = { token_address: 'native', holder: alice, step: '1M' };
    const points = await pointsOf({ ...query, from: '2022-07-01T00:00+10:00', to: '2022-10-01T00:00+10' });
    expect(points.map(({ instant }) => instant?.slice(0, 16))).toEqual([
      ...['2022-06-30T14:00', '2022-07-31T14:00', '2022-08-31T14:00', '2022-09-30T14:00'],
    ]);
  });

  it('ends at the latest block where no end is given, and is not final then', async () => {
    const { headers, body } = await ask({
      token_address: 'native',
      holder: alice,
      from: 18_000_000,
      points: 4,
    });
    expect((body.points as Point[]).map(({ block }) => block)).toEqual([
      18_000_000, 18_000_050, 18_000_100, 18_000_150,
    ]);
    expect([body.finalized, headers.get('cache-control')]).toEqual([false, 'private, no-cache']);
  });

  it('has no balance, and says why, where there was no such token yet', async () => {
    const late = await pointsOf({
      token_address: TOKENS.late.address,
      holder: alice,
      from: 18_000_118,
      to: 18_000_121,
      step: 1,
    });
    expect(late.map(({ balance: amount, reason }) => [amount, reason])).toEqual([
      [null, 'no-contract'],
      [null, 'no-contract'],
      [ledger.balanceAt(TOKENS.late.address, alice, 18_000_120).toString(), undefined],
      [ledger.balanceAt(TOKENS.late.address, alice, 18_000_121).toString(), undefined],
    ]);
    const { since } = TOKENS.usdc;
    const usdc = await pointsOf({
      token_address: TOKENS.usdc.address,
      holder: alice,
      from: since - 1,
      to: since,
      step: 1,
    });
    expect(usdc.map(({ balance: amount, reason }) => [amount, reason])).toEqual([
      [null, 'no-balance'],
      ['0', undefined],
    ]);
  });

  it('names the token as at its last point', async () => {
    const query = {
      token_address: TOKENS.usdc.address,
      holder: alice,
      from: LANDMARKS.usdcUpgrade - 5,
      step: 1,
    };
    const before = await ask({ ...query, to: LANDMARKS.usdcUpgrade - 1 });
    const after = await ask({ ...query, to: LANDMARKS.usdcUpgrade });
    expect([before.body.token_name, after.body.token_name]).toEqual(['Centre USD Coin', 'USD Coin']);
  });

  it('resolves a name at its last point', async () => {
    const query = { token_address: UNI, holder: 'treasury.eth', from: 17_999_990, step: 1 };
    const before = await ask({ ...query, to: 17_999_999 });
    const after = await ask({ ...query, from: 18_000_000, to: 18_000_001 });
    expect([before.body.holder, after.body.holder]).toEqual([treasury, vault]);
  });

  it('is immutable once all of it is final', async () => {
    const query = { token_address: UNI, holder: alice, from: 17_999_900, to: 17_999_999, step: 1 };
    const first = await ask(query);
    const before = balance.proxy.requests;
    const again = await fetch(balance.url + path(query));
    expect(await again.json()).toEqual(first.body);
    expect(again.headers.get('cache-control')).toContain('immutable');
    expect(again.headers.get('x-hindsight-units')).toBe('10');
    const known = { headers: { 'if-none-match': first.headers.get('etag')! } };
    expect((await fetch(balance.url + path(query), known)).status).toBe(304);
    expect(balance.proxy.requests).toBe(before);
  });

  it('of dates is not immutable while the block after its last one may be another', async () => {
    const final = CHAIN.head - 64;
    const cachedTo = async (height: number): Promise<string | null> => {
      const { body } = await balance.ask(`/v1/eth-mainnet/block?block_height=${height}`);
      const query = { token_address: UNI, holder: alice, from: '2023-08-26T16:00:00Z', points: 3 };
      const { headers } = await ask({ ...query, to: body.date as string });
      return headers.get('cache-control');
    };
    expect(await cachedTo(final - 1)).toContain('immutable');
    expect(await cachedTo(final)).toBe('private, no-cache');
  });

  it('asks many blocks a request', async () => {
    const service = await runBalance(balance.proxy.url);
    try {
      const before = balance.proxy.requests;
      const { body } = await service.ask(
        path({ token_address: UNI, holder: alice, from: 17_999_856, to: 18_000_111, step: 1 }),
      );
      expect(body.points).toHaveLength(256);
      // The end, six requests for headers, three for state.
      expect(balance.proxy.requests - before).toBeLessThanOrEqual(12);
    } finally {
      await service.stop();
    }
  });
});

describe('a contract without balances', () => {
  it('is asked by itself at 32 blocks at the most', async () => {
    const query = { token_address: CONTRACTS.ensRegistry, holder: alice, from: 17_999_900, to: 17_999_999 };
    const before = balance.proxy.calls;
    expect((await ask({ ...query, step: 1 })).body.code).toBe('not_a_token');
    // Of all blocks at once, then of 32 by themselves.
    expect(balance.proxy.calls - before).toBeLessThan(100 + 50);
  });
});

describe('bad input is refused, by the field’s name', () => {
  const good = { token_address: UNI, holder: alice, from: 17_999_900, to: 18_000_000, step: '10' };

  it.each<[what: string, change: Query, status: number, message: RegExp]>([
    ['no token', { token_address: undefined }, 400, /^token_address is required$/],
    ['a malformed token', { token_address: '0x12' }, 400, /^token_address: .*, or native$/],
    ['no holder', { holder: undefined }, 400, /^holder is required$/],
    ['no beginning', { from: undefined }, 400, /^from is required$/],
    ['an empty beginning', { from: '' }, 400, /^from: it is empty/],
    ['a malformed beginning', { from: 'yesterday' }, 400, /^from: expected a block height, or a date/],
    ['no such date', { to: '2023-02-30' }, 400, /^to: there is no such date/],
    ['a negative height', { from: '-1' }, 400, /^from: expected a block height/],
    ['the wrong order', { from: 18_000_001 }, 400, /^from: it is after to/],
    [
      'the wrong order of dates',
      { from: '2023-08-26T16:00:00Z', to: '2023-08-26T15:40:00Z', step: '1h' },
      400,
      /^from: it is after to/,
    ],
    ['neither step nor points', { step: undefined }, 400, /^step is required, or points$/],
    ['both step and points', { points: '10' }, 400, /^points: given together with step/],
    ['an unknown step', { step: '2h' }, 400, /^step: expected 1h, 6h, 1d, 1w, 1M/],
    ['minutes', { step: '1m' }, 400, /^step: expected/],
    ['a step of zero', { step: '0' }, 400, /^step: expected/],
    [
      'too small a step',
      { from: 17_000_000, step: '1' },
      400,
      /^step: in steps of 1 blocks there are 1,000,001 points or more; expected at most 1,000$/,
    ],
    [
      'too many hours',
      { from: '2020-01-01', to: '2021-01-01', step: '1h' },
      400,
      /^step: in steps of 1h there are 8,785 points/,
    ],
    [
      'one point',
      { step: undefined, points: '1' },
      400,
      /^points: expected a number of points from 2 to 1000/,
    ],
    ['1,001 points', { step: undefined, points: '1001' }, 400, /^points: expected a number/],
    ['an unknown parameter', { until: '1' }, 400, /unknown parameter until/],
    ['a block', { block_height: '1' }, 400, /unknown parameter block_height/],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /^token_address: .* ERC-1155/],
    [
      'no contract',
      { token_address: UNUSED_ADDRESS },
      404,
      /^There is no contract at .* at any point of the series$/,
    ],
    ['no token', { token_address: CONTRACTS.counter }, 404, /is not a token at block/],
    [
      'an end above the head',
      { to: 18_000_151 },
      404,
      /^to: block 18000151 does not exist yet; the latest block is 18000150$/,
    ],
    ['a beginning above the head', { from: 18_000_151, to: undefined }, 404, /^from: block 18000151/],
    [
      'an end in the future',
      { from: '2023-08-26T16:00:00Z', to: '2033-08-26', step: '1M' },
      404,
      /^to: .* is in the future/,
    ],
    [
      'a beginning before the chain',
      { from: '2015-01-01', to: '2015-02-01', step: '1d' },
      404,
      /^from: .* is before the chain's first block/,
    ],
    [
      'a name without an address',
      { holder: 'nobody-has-this.eth' },
      404,
      /^holder: the name nobody-has-this.eth has no address at block \d+$/,
    ],
    [
      'a name that got an address after the range',
      { holder: 'bob.eth', from: 17_999_700, to: 17_999_800 },
      404,
      /^holder: the name bob.eth has no address at block 17999800; at the latest block, 18000150, it means 0x\w{40}:/,
    ],
    [
      'such a name with resolve=each',
      { holder: 'bob.eth', from: 17_999_700, to: 17_999_800, resolve: 'each' },
      404,
      /^holder: the name bob.eth has no address at block 17999800; at the latest block, 18000150, it means 0x\w{40}:/,
    ],
  ])('%s', async (_what, change, status, message) => {
    const { body, ...answer } = await ask({ ...good, ...change });
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
