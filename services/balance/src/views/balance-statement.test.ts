import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startAlteredNode, type AlteredNode } from '@hindsight/chain/test/support/altered-node.ts';
import { addressTopic, TOPICS } from '@hindsight/chain/tokens/token-events.ts';
import { ask as askNode } from '@hindsight/devchain/client.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { runOnDevchain, type BalanceOnDevchain } from '../../test/support/on-devchain.ts';
import { runBalance, type RunningBalance } from '../../test/support/run-balance.ts';
import { takeSearchClock } from '../../test/support/search-clock.ts';

let balance: BalanceOnDevchain;
let altered: AlteredNode;
let troubled: RunningBalance;
const { ledger } = buildPlan();
const { alice, bob, carol, relay, treasury, vault } = HOLDERS;

beforeAll(async () => {
  balance = await runOnDevchain();
  altered = await startAlteredNode(balance.devchain.url);
  troubled = await runBalance(altered.url);
});
afterAll(async () => {
  await Promise.all([balance.stop(), troubled.stop()]);
  await altered.close();
});

interface Period {
  readonly from_block: number;
  readonly to_block: number;
  readonly opening: string;
  readonly in: string | null;
  readonly out: string | null;
  readonly unexplained: string | null;
  readonly closing: string;
  readonly transfers: number | null;
  readonly cause: string | null;
}

type Asked = Record<string, string>;

const pathOf = (query: Asked): string =>
  `/v1/eth-mainnet/balance/statement?${new URLSearchParams(query).toString()}`;
const ask = (query: Asked, of: RunningBalance = balance): ReturnType<RunningBalance['ask']> =>
  of.ask(pathOf(query));

async function periodsOf(query: Asked): Promise<readonly Period[]> {
  const { status, body } = await ask(query);
  expect([status, body.message, body.complete]).toEqual([200, undefined, true]);
  return body.periods as readonly Period[];
}

/** Whole chain, in steps that do not divide it. */
const WHOLE = { from: String(CHAIN.story), to: String(CHAIN.head), step: '37' };

interface NodeLog {
  readonly blockNumber: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Each event of a token that the node has. */
async function logsOf({ address }: { address: string }): Promise<readonly NodeLog[]> {
  const range = { address, fromBlock: '0x0', toBlock: 'latest' };
  return (await askNode(balance.devchain.url, 'eth_getLogs', range)) as readonly NodeLog[];
}

/** Sums of a token's events, read in another way: by hand. */
function movedBetween(
  token: { standard: string },
  logs: readonly NodeLog[],
  holder: string,
): (from: number, to: number) => { in: bigint; out: bigint } {
  const topic = addressTopic(holder);
  const moves = logs.flatMap(({ blockNumber, topics: [event, one, other, id], data }) => {
    const amount = token.standard === 'erc721' ? 1n : BigInt(id ?? (data === '0x' ? '0x0' : data));
    const block = Number(blockNumber);
    if (event === TOPICS.deposit && one === topic) return [{ block, in: amount, out: 0n }];
    if (event === TOPICS.withdrawal && one === topic) return [{ block, in: 0n, out: amount }];
    if (event !== TOPICS.transfer || one === other) return [];
    return [
      ...(other === topic ? [{ block, in: amount, out: 0n }] : []),
      ...(one === topic ? [{ block, in: 0n, out: amount }] : []),
    ];
  });
  return (from, to) => {
    const own = moves.filter(({ block }) => block > from && block <= to);
    const sum = (of: (move: (typeof own)[number]) => bigint): bigint =>
      own.reduce((total, move) => total + of(move), 0n);
    return { in: sum((move) => move.in), out: sum((move) => move.out) };
  };
}

describe('GET balance/statement', () => {
  it.each(['uni', 'usdt', 'usdc', 'weth', 'steth', 'late', 'bayc', 'kitties', 'savings'] as const)(
    'of %s matches the ledger and the events in every period',
    async (name) => {
      const token = TOKENS[name];
      const at = (holder: string, block: number): bigint =>
        block < token.since ? 0n : ledger.balanceAt(token.address, holder, block);
      const logs = await logsOf(token);
      let rows = 0;
      for (const holder of [alice, bob, carol, vault, relay, UNUSED_ADDRESS]) {
        const moved = movedBetween(token, logs, holder);
        for (const one of await periodsOf({ token_address: token.address, holder, ...WHOLE })) {
          const opening = at(holder, one.from_block);
          const closing = at(holder, one.to_block);
          const by = moved(one.from_block, one.to_block);
          const unexplained = closing - opening - by.in + by.out;
          expect([holder, one]).toMatchObject([
            holder,
            {
              opening: String(opening),
              in: String(by.in),
              out: String(by.out),
              unexplained: String(unexplained),
              closing: String(closing),
              cause: unexplained === 0n ? null : 'state',
            },
          ]);
          rows += 1;
        }
      }
      expect(rows).toBe(6 * 9);
    },
  );

  it('names what a rebase moved, and nothing else, as unexplained', async () => {
    const query = { token_address: TOKENS.steth.address, holder: bob, from: String(CHAIN.story) };
    const all = await periodsOf({ ...query, to: String(CHAIN.head), step: '1' });
    expect(all).toHaveLength(CHAIN.head - CHAIN.story);
    const moved = all.filter(({ unexplained }) => BigInt(unexplained!) ** 2n > 1n);
    expect(moved.length).toBeGreaterThan(2);
    expect(LANDMARKS.rebases).toEqual(expect.arrayContaining(moved.map(({ to_block }) => to_block)));
  });

  it('of ether, which makes no logs there, matches the ledger and explains nothing', async () => {
    for (const holder of [alice, treasury, vault, UNUSED_ADDRESS]) {
      for (const one of await periodsOf({ token_address: 'native', holder, ...WHOLE })) {
        const [opening, closing] = [one.from_block, one.to_block].map((at) => ledger.nativeAt(holder, at));
        expect(one).toMatchObject({
          opening: String(opening),
          closing: String(closing),
          in: '0',
          out: '0',
          unexplained: String(closing! - opening!),
          transfers: 0,
        });
      }
    }
  });

  it('ends with the end, though the last step is longer', async () => {
    const query = { token_address: TOKENS.uni.address, holder: alice, from: '18000000' };
    const periods = await periodsOf({ ...query, to: '18000025', step: '10' });
    const ends = periods.map(({ from_block, to_block }) => [from_block, to_block]);
    expect(ends).toEqual([
      [18_000_000, 18_000_010],
      [18_000_010, 18_000_020],
      [18_000_020, 18_000_025],
    ]);
  });

  it('of dates is that of the blocks at or before them', async () => {
    const query = { token_address: TOKENS.uni.address, holder: 'alice.eth' };
    const dates = { from: '2023-08-26T16:00:00Z', to: '2023-08-26T16:45:00Z', step: '1M' };
    const { body } = await ask({ ...query, ...dates });
    const [period, ...others] = body.periods as readonly Period[];
    expect([others, period]).toMatchObject([
      [],
      { from_instant: '2023-08-26T16:00:00.000Z', to_instant: '2023-08-26T16:45:00.000Z' },
    ]);
    const blockAt = async (date: string): Promise<unknown> =>
      (await balance.ask(`/v1/eth-mainnet/block?date=${date}`)).body.block_number;
    expect([period!.from_block, period!.to_block]).toEqual([
      await blockAt(dates.from),
      await blockAt(dates.to),
    ]);
  });

  it('has the months of the zone in which it begins', async () => {
    const range = { from: '2022-07-01T00:00:00-05:30', to: '2022-09-01T00:00:00-05:30', step: '1M' };
    const { body } = await ask({ token_address: 'native', holder: alice, ...range });
    expect(body.periods).toMatchObject([
      { from_instant: '2022-07-01T05:30:00.000Z', to_instant: '2022-08-01T05:30:00.000Z' },
      { from_instant: '2022-08-01T05:30:00.000Z', to_instant: '2022-09-01T05:30:00.000Z' },
    ]);
    const east = { from: '2022-05-01T00:00:00+02:00', to: '2022-06-01T00:00:00+02:00', step: '1M' };
    const { body: one } = await ask({ token_address: 'native', holder: alice, ...east });
    expect(one.periods).toHaveLength(1);
  });

  it('costs a unit for ten periods', async () => {
    const query = { token_address: TOKENS.uni.address, holder: alice, ...WHOLE, step: '10' };
    const { headers, body } = await ask(query);
    expect((body.periods as unknown[]).length).toBe(30);
    expect(headers.get('x-hindsight-units')).toBe('3');
    expect(headers.get('cache-control')).toContain('no-cache');
    const final = await ask({ ...query, to: '18000000' });
    expect(final.headers.get('cache-control')).toContain('immutable');
  });

  it('is a table for those who accept CSV, from memory too', async () => {
    const query = { token_address: TOKENS.script.address, holder: alice, from: '17999990', step: '5' };
    const url = balance.url + pathOf({ ...query, to: '18000000' });
    const json = (await (await fetch(url)).json()) as {
      periods: Readonly<Record<string, string | number | null>>[];
    };
    for (let turn = 0; turn < 2; turn++) {
      const answer = await fetch(url, { headers: { accept: 'text/csv' } });
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
      expect(answer.headers.get('vary')).toContain('accept');
      const text = await answer.text();
      // The symbol has a line end, which is in quotes.
      const symbol = TOKENS.script.symbol;
      const [header, ...rows] = text.replaceAll(`"${symbol}"`, 'SYMBOL').trimEnd().split('\r\n');
      expect(header!.split(',')).toEqual(
        expect.arrayContaining(['from_block', 'from_block_hash', 'to_block_hash', 'opening', 'closing']),
      );
      expect(rows.map((row) => row.split(','))).toEqual(
        json.periods.map((period) =>
          header!.split(',').map((name) => {
            if (name === 'token_symbol') return 'SYMBOL';
            if (name === 'holder') return alice;
            if (name === 'token_address') return TOKENS.script.address;
            if (name === 'token_decimals') return '18';
            return String(period[name] ?? '');
          }),
        ),
      );
    }
    expect((await fetch(url)).headers.get('content-type')).toContain('application/json');
  });

  it('of a node that refuses logs is an error, not a part', async () => {
    altered.alter((method, result) =>
      method === 'eth_getLogs' ? new Error('pruned history unavailable') : result,
    );
    const query = { token_address: TOKENS.uni.address, holder: alice, ...WHOLE };
    expect((await ask(query, troubled)).status).toBe(502);
  });

  it('has the sums of the periods whose events were read in time, and of no other', async () => {
    const query = {
      token_address: TOKENS.usdc.address,
      holder: alice,
      from: String(CHAIN.story),
      step: '20',
    };
    const asked = { ...query, to: '18000000' };
    const whole = await periodsOf(asked);
    const clock = takeSearchClock();
    const service = await runBalance(altered.url);
    let answered = 0;
    altered.alter((method, result, [filter]) => {
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = filter as Record<'fromBlock' | 'toBlock', string>;
      if (Number(toBlock) - Number(fromBlock) >= 10)
        return new Error('eth_getLogs is limited to a 10 block range');
      // The first part, and four at once, each for two filters.
      if ((answered += 1) === 10) clock.ahead = 60_000;
      return result;
    });
    try {
      const { status, headers, body } = await ask(asked, service);
      expect([status, body.message, body.complete]).toEqual([200, undefined, false]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      const periods = body.periods as readonly Period[];
      const unread = { in: null, out: null, unexplained: null, transfers: null, cause: null };
      expect(periods).toEqual(whole.map((period, i) => (i < 2 ? period : { ...period, ...unread })));
    } finally {
      clock.restore();
      await service.stop();
    }
  });

  it('of events that are of another chain than its balances is an error', async () => {
    const [token_address, holder] = [TOKENS.uni.address, alice];
    const heights = Array.from({ length: CHAIN.head - CHAIN.story }, (_, i) => CHAIN.story + i + 1);
    const moved = heights.find(
      (at) =>
        at > CHAIN.story + 10 &&
        ledger.balanceAt(token_address, holder, at) !== ledger.balanceAt(token_address, holder, at - 1),
    )!;
    const query = { token_address, holder, from: String(moved - 10), to: String(moved + 10), step: '10' };
    altered.alter((method, result) =>
      method === 'eth_getLogs'
        ? (result as NodeLog[]).map((log) =>
            Number(log.blockNumber) === moved ? { ...log, blockHash: `0x${'7e'.repeat(32)}` } : log,
          )
        : result,
    );
    const { status, body } = await ask(query, troubled);
    expect([status, body.code]).toEqual([502, 'block_unavailable']);
    altered.alter((_method, result) => result);
    expect((await ask(query, troubled)).status).toBe(200);
  });

  it.each([
    ['no step', { step: undefined }, 400, /^step is required/],
    ['a step of nothing', { step: '0' }, 400, /^step: expected 1h/],
    ['too many periods', { from: '17000000', step: '1' }, 400, /^step: /],
    ['no time at all', { from: '18000000', to: '18000000' }, 400, /^from: it is the end as well/],
    ['ends in the wrong order', { from: '18000001', to: '18000000' }, 400, /^from: it is after to/],
    ['an end above the head', { to: '99999999', step: '1d' }, 404, /^to: block 99999999 does not exist yet/],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /ERC-1155 contract/],
    ['an account without code', { token_address: alice }, 404, /no contract/],
    ['points', { points: '3' }, 400, /^unknown parameter points/],
  ])('is refused for %s', async (_what, change, status, message) => {
    const query = { token_address: TOKENS.uni.address, holder: alice, ...WHOLE, ...change };
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const { body, ...answer } = await ask(Object.fromEntries(given) as Asked);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
