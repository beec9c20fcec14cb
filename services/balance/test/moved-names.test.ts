/** Names over a range: one that meant two wallets is refused, since the answer would be about one of them. */
import { describe, expect, it } from '@jest/globals';
import { addressTopic } from '@hindsight/chain/tokens/token-events.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { runBehindAlteredNode, runOnDevchain } from './support/on-devchain.ts';
import { takeSearchClock } from './support/search-clock.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const altered = forAllTests(runBehindAlteredNode, 'stop');
const { alice, bob, treasury, vault, carol } = HOLDERS;

const ENDPOINTS = ['balance/series', 'balance/changes', 'balance/statement'] as const;
const STEP = { 'balance/series': '&step=5', 'balance/changes': '', 'balance/statement': '&step=5' };

const ask = (endpoint: (typeof ENDPOINTS)[number], holder: string, from: number, to: number) =>
  balance.ask(
    `/v1/eth-mainnet/${endpoint}?token_address=${TOKENS.usdc.address}&holder=${holder}&from=${from}&to=${to}${STEP[endpoint]}`,
  );

describe.each(ENDPOINTS)('%s by name', (endpoint) => {
  it('says where the name was resolved', async () => {
    const { body } = await ask(endpoint, 'alice.eth', 17_999_990, 18_000_010);
    const { body: block } = await balance.ask('/v1/eth-mainnet/block?block_height=18000010');
    expect(body).toMatchObject({
      holder: alice,
      holder_resolved_at: { block: 18_000_010, block_hash: block.block_hash },
    });
    expect((await ask(endpoint, alice, 17_999_990, 18_000_010)).body).not.toHaveProperty(
      'holder_resolved_at',
    );
  });

  it('refuses a name that moved, with both addresses and blocks', async () => {
    const { status, body } = await ask(endpoint, 'treasury.eth', 17_999_990, 18_000_010);
    expect([status, body.code]).toEqual([409, 'name_moved']);
    expect(body.message).toMatch(
      new RegExp(
        `^holder: the name treasury.eth means ${vault} at block 18000010, and meant ${treasury} at block \\d+; .*, or resolve=each for the holder of each block$`,
      ),
    );
    const path = `/v1/eth-mainnet/wallet/changes?token_address=${TOKENS.usdc.address}`;
    const { body: without } = await balance.ask(`${path}&holder=treasury.eth&from=17999990&to=18000010`);
    expect(without.code).toBe('name_moved');
    expect(without.message).not.toContain('resolve');
  });

  it('answers before and after the move, each about its wallet', async () => {
    expect((await ask(endpoint, 'treasury.eth', 17_999_980, 17_999_999)).body.holder).toBe(treasury);
    expect((await ask(endpoint, 'treasury.eth', 18_000_000, 18_000_010)).body.holder).toBe(vault);
  });

  it('notices a name that pointed nowhere in between, and came back to another address', async () => {
    const { status, body } = await ask(endpoint, 'bob.eth', 17_999_950, 18_000_120);
    expect([status, body.code]).toEqual([409, 'name_moved']);
    for (const one of [bob, carol]) expect(body.message).toContain(one);
  });

  it('takes a name that is younger than the range', async () => {
    const { status, body } = await ask(endpoint, 'bob.eth', 17_999_900, 18_000_010);
    expect([status, body.holder]).toEqual([200, bob]);
  });
});

describe('balance/series by name, resolved at each point', () => {
  const USDC = TOKENS.usdc.address;
  const series = (holder: string, range: string) =>
    balance.ask(
      `/v1/eth-mainnet/balance/series?token_address=${USDC}&holder=${holder}&resolve=each&${range}`,
    );

  it('says which address it meant at each, and has that one’s balance', async () => {
    const range = 'from=17999990&to=18000010&step=5';
    const { status, body } = await series('treasury.eth', range);
    expect([status, body.message]).toEqual([200, undefined]);
    const points = body.points as { holder: string; block: number; balance: string }[];
    expect(points.map(({ holder }) => holder)).toEqual([treasury, treasury, vault, vault, vault]);
    for (const { holder, block, balance: amount } of points) {
      const { body: alone } = await balance.ask(
        `/v1/eth-mainnet/balance/single?token_address=${USDC}&holder=${holder}&block_height=${block}`,
      );
      expect([block, alone.balance]).toEqual([block, amount]);
    }
    expect(body).toMatchObject({ holder: vault, holder_resolved_at: { block: 18_000_010 } });
    const answer = await fetch(
      `${balance.url}/v1/eth-mainnet/balance/series?token_address=${USDC}&holder=treasury.eth&resolve=each&${range}`,
      { headers: { accept: 'text/csv' } },
    );
    const [, first] = (await answer.text()).split('\r\n');
    expect(first).toContain(treasury);
  });

  it('has no balance where the name had no address', async () => {
    const { body } = await series('bob.eth', 'from=17999860&to=17999950&step=10');
    const points = body.points as { holder: string | null; balance: string | null; reason?: string }[];
    expect(points[0]).toMatchObject({ holder: null, balance: null, reason: 'no-name' });
    expect(points.at(-1)).toMatchObject({ holder: bob });
    expect(points.filter(({ holder, reason }) => (holder === null) !== (reason === 'no-name'))).toEqual([]);
  });

  it('of an address is the series of that address', async () => {
    const range = 'from=17999990&to=18000010&step=5';
    const [each, once] = await Promise.all([
      series(alice, range),
      balance.ask(`/v1/eth-mainnet/balance/series?token_address=${USDC}&holder=${alice}&${range}`),
    ]);
    expect(each.body).toEqual(once.body);
  });

  it.each([
    [
      'more than 100 points',
      'treasury.eth',
      'from=17999900&to=18000010&step=1',
      400,
      /^resolve: each of 111 blocks/,
    ],
    [
      'a name that never had an address',
      'unregistered.eth',
      'from=17999990&to=18000000&step=5',
      404,
      /^holder: /,
    ],
    ['another word', 'alice.eth', 'from=17999990&to=18000000&step=5&resolve=all', 400, /resolve/],
  ])('is refused for %s', async (_what, holder, range, status, message) => {
    const { body } = await series(holder, range);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
  });
});

describe('balance/changes by name, resolved at each block', () => {
  const USDC = TOKENS.usdc.address;
  const changes = (query: string, token: string = USDC) =>
    balance.ask(`/v1/eth-mainnet/balance/changes?token_address=${token}&${query}`);
  interface Row {
    readonly holder?: string;
    readonly block: number;
  }
  interface Meaning {
    readonly holder: string | null;
    readonly from_block: number;
    readonly through_block: number;
  }
  const rowsOf = (body: Record<string, unknown>): readonly Row[] => body.changes as readonly Row[];
  const meaningsOf = (body: Record<string, unknown>) => body.meanings as readonly Meaning[];
  const MOVED = 'holder=treasury.eth&resolve=each&from=17999990&to=18000010';

  it.each([USDC, 'native'])('of %s are those of each address while the name meant it', async (token) => {
    const { status, body } = await changes(MOVED, token);
    expect([status, body.message]).toEqual([200, undefined]);
    expect(meaningsOf(body).map(({ holder }) => holder)).toEqual([treasury, vault]);
    expect(body).toMatchObject({ holder: vault, holder_resolved_at: { block: 18_000_010 }, next: null });
    const alone = await Promise.all(
      meaningsOf(body).map(async ({ holder, from_block: from, through_block: to }) => {
        const one = await changes(`holder=${holder}&from=${from - 1}&to=${to}`, token);
        return rowsOf(one.body).map((row) => ({ ...row, holder }));
      }),
    );
    expect(rowsOf(body)).toEqual(alone.flat());
  });

  it('finds the exact block of each move, of one to no address too', async () => {
    const { body } = await changes('holder=bob.eth&resolve=each&from=17999860&to=18000130');
    const meanings = meaningsOf(body);
    expect(meanings[0]).toMatchObject({ holder: null, from_block: 17_999_861 });
    expect(meanings.map(({ holder }) => holder)).toEqual(expect.arrayContaining([bob, carol]));
    expect(meanings.at(-1)!.through_block).toBe(18_000_130);
    for (const [i, { holder, from_block: from, through_block: through }] of meanings.entries()) {
      if (i > 0) expect(from).toBe(meanings[i - 1]!.through_block + 1);
      for (const block of [from, through]) {
        const { body: at } = await balance.ask(
          `/v1/eth-mainnet/balance/native?holder=bob.eth&block_height=${block}`,
        );
        expect([block, at.holder ?? null]).toEqual([block, holder]);
      }
    }
  });

  it.each([USDC, 'native'])('of %s come in pages that are the whole', async (token) => {
    const query = 'holder=bob.eth&resolve=each&from=17999860&to=18000130';
    const whole = await changes(`${query}&limit=1000`, token);
    expect(rowsOf(whole.body).length).toBeGreaterThan(1);
    const rows: Row[] = [];
    for (let next: string | null = ''; next !== null;) {
      const { body } = await changes(`${query}&limit=1${next === '' ? '' : `&cursor=${next}`}`, token);
      expect(body.meanings).toEqual(whole.body.meanings);
      expect(body.token_symbol).toBe(whole.body.token_symbol);
      rows.push(...rowsOf(body));
      next = body.next as string | null;
    }
    expect(rows).toEqual(rowsOf(whole.body));
    const { body } = await changes(`${query}&limit=1`, token);
    const stolen = await changes(`${query.replace('bob', 'alice')}&cursor=${String(body.next)}`, token);
    expect([stolen.status, stolen.body.message]).toEqual([400, expect.stringMatching(/^cursor: /)]);
  });

  /** Pages of `MOVED` from a service behind the altered node: their last blocks, and the blocks of their changes. */
  const pagesOf = async (limit: number): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    for (let next: string | null = ''; next !== null;) {
      const query = `token_address=${USDC}&${MOVED}&limit=${limit}${next === '' ? '' : `&cursor=${next}`}`;
      const { status, body } = await altered.ask(`/v1/eth-mainnet/balance/changes?${query}`);
      expect([status, body.message]).toEqual([200, undefined]);
      found.push([body.through_block, rowsOf(body).map(({ block }) => block)]);
      next = body.next as string | null;
    }
    return found;
  };

  it('of the next address wait until all of the one before are found', async () => {
    // Transfers of nothing: all that a page has room for, and no change.
    const blocks = await Promise.all(
      [17_999_992, 17_999_994].map(
        async (height) => (await balance.ask(`/v1/eth-mainnet/block?block_height=${height}`)).body,
      ),
    );
    altered.node.alter((method, result, [filter]) => {
      if (method !== 'eth_getLogs') return result;
      const { topics, fromBlock, toBlock } = filter as Record<'fromBlock' | 'toBlock', string> & {
        topics: string[];
      };
      if (topics[2] !== addressTopic(treasury)) return result;
      const within = blocks.filter(
        ({ block_number: at }) => Number(at) >= Number(fromBlock) && Number(at) <= Number(toBlock),
      );
      const logs = within.map(({ block_number: at, block_hash: blockHash }) => ({
        ...{ address: USDC, topics: [topics[0], topics[2], topics[2]], data: `0x${'0'.repeat(64)}` },
        ...{ blockNumber: `0x${Number(at).toString(16)}`, blockHash, transactionHash: blockHash },
      }));
      return [...(result as unknown[]), ...logs];
    });
    expect(await pagesOf(1)).toEqual([
      [17_999_993, []],
      [18_000_010, [18_000_000]],
    ]);
  });

  it('of the next address are the next page’s where most of the time is up', async () => {
    const clock = takeSearchClock();
    altered.node.alter((method, result) => {
      if (method === 'eth_getLogs') clock.ahead = 40_000;
      return result;
    });
    const pages = await pagesOf(1_000).finally(() => clock.restore());
    expect(pages).toEqual([
      [17_999_999, []],
      [18_000_010, [18_000_000]],
    ]);
  });

  it('of an address are the changes of that address', async () => {
    const range = `holder=${alice}&from=17999900&to=18000010`;
    const [each, once] = await Promise.all([changes(`${range}&resolve=each`), changes(range)]);
    expect(each.body).toEqual(once.body);
  });

  it('as a table name the holder in each row', async () => {
    const answer = await fetch(
      `${balance.url}/v1/eth-mainnet/balance/changes?token_address=${USDC}&${MOVED}`,
      {
        headers: { accept: 'text/csv' },
      },
    );
    const [head, first] = (await answer.text()).split('\r\n');
    expect(head!.split(',')).toContain('holder');
    expect(first).toContain(vault);
  });

  it.each([
    [
      'a name that never had an address',
      'holder=unregistered.eth&resolve=each&from=17999990&to=18000000',
      404,
    ],
    ['another word', 'holder=alice.eth&resolve=all&from=17999990&to=18000000', 400],
  ])('are refused for %s', async (_what, query, status) => {
    expect((await changes(query)).status).toBe(status);
  });
});

describe('balance/statement by name, resolved at the end of each period', () => {
  const USDC = TOKENS.usdc.address;
  const ask = (query: string) =>
    balance.ask(`/v1/eth-mainnet/balance/statement?token_address=${USDC}&${query}`);
  interface Row {
    readonly holder?: string | null;
    readonly from_block: number;
    readonly to_block: number;
  }
  const rowsOf = (body: Record<string, unknown>): readonly Row[] => body.periods as readonly Row[];

  it('gives each period to the address at its end, as the statement of that address has it', async () => {
    const { status, body } = await ask('holder=treasury.eth&resolve=each&from=17999990&to=18000010&step=5');
    expect([status, body.message]).toEqual([200, undefined]);
    expect(rowsOf(body).map(({ holder }) => holder)).toEqual([treasury, vault, vault, vault]);
    expect(body).toMatchObject({ holder: vault, complete: true, holder_resolved_at: { block: 18_000_010 } });
    for (const { holder, ...row } of rowsOf(body)) {
      const alone = await ask(`holder=${holder}&from=${row.from_block}&to=${row.to_block}&step=5`);
      expect(rowsOf(alone.body)).toEqual([row]);
    }
  });

  it('has no balance in periods at whose end the name had no address', async () => {
    const { body } = await ask('holder=bob.eth&resolve=each&from=17999860&to=17999950&step=10');
    const [first, ...rest] = rowsOf(body);
    expect(first).toMatchObject({ holder: null, opening: null, closing: null, in: null, unexplained: null });
    expect(rest.at(-1)).toMatchObject({ holder: bob });
    expect(body.complete).toBe(true);
  });

  it('of an address is the statement of that address, and is refused for more than 100 periods', async () => {
    const range = 'from=17999990&to=18000010&step=5';
    const [each, once] = await Promise.all([
      ask(`holder=${alice}&resolve=each&${range}`),
      ask(`holder=${alice}&${range}`),
    ]);
    expect(each.body).toEqual(once.body);
    const { status, body } = await ask('holder=treasury.eth&resolve=each&from=17999900&to=18000010&step=1');
    expect([status, body.message]).toEqual([400, expect.stringMatching(/^resolve: each of 110 blocks/)]);
  });
});
