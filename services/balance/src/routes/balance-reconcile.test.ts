/** Books against the chain: right ones are right, and each kind of mistake is found where it is. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, TOKENS } from '@hindsight/devchain/world.ts';
import { runBehindAlteredNode, runOnDevchain } from '../../test/support/on-devchain.ts';
import { takeSearchClock } from '../../test/support/search-clock.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const altered = forAllTests(runBehindAlteredNode, 'stop');
const { ledger } = buildPlan();
const { alice, bob, carol, treasury, vault } = HOLDERS;

interface Row {
  readonly block_height?: number;
  readonly date?: string;
  readonly balance: string;
}

const ask = (body: object) => balance.ask('/v1/eth-mainnet/balance/reconcile', body);

/** The amounts of the books at a height; of a token before its contract none. */
function bookedAt(token: string, holder: string, height: number): bigint {
  if (token === 'native') return ledger.nativeAt(holder, height);
  const known = Object.values(TOKENS).find(({ address }) => address === token)!;
  return height < known.since ? 0n : ledger.balanceAt(token, holder, height);
}

function books(token: string, holder: string, heights: readonly number[]): readonly Required<Row>[] {
  return heights.map((block_height) => {
    return { block_height, balance: String(bookedAt(token, holder, block_height)) } as Required<Row>;
  });
}

const every = (step: number): readonly number[] =>
  Array.from({ length: Math.floor((CHAIN.head - CHAIN.story) / step) + 1 }, (_, i) => CHAIN.story + i * step);

const ASSETS = ['uni', 'usdt', 'usdc', 'weth', 'steth', 'late', 'bayc', 'kitties', 'savings'] as const;
const TOKENS_ASKED = [...ASSETS.map((name) => TOKENS[name].address), 'native'];
const PEOPLE = Object.values(HOLDERS);

describe('POST balance/reconcile', () => {
  it('finds five thousand right rows right', async () => {
    let rows = 0;
    for (const token_address of TOKENS_ASKED) {
      // Its proxy has no implementation in its first blocks, and so no balances.
      const heights = every(6).filter(
        (height) => token_address !== TOKENS.usdc.address || height >= TOKENS.usdc.since,
      );
      for (const holder of token_address === 'native' ? [...PEOPLE] : PEOPLE.slice(0, 8)) {
        const { status, body } = await ask({
          token_address,
          holder,
          rows: books(token_address, holder, heights),
        });
        expect([status, body.message]).toEqual([200, undefined]);
        const wrong = (body.rows as { equal: boolean }[]).filter(({ equal }) => !equal);
        expect([token_address, holder, body.equal, body.first_divergence, wrong]).toEqual([
          token_address,
          holder,
          true,
          null,
          [],
        ]);
        rows += (body.rows as unknown[]).length;
      }
    }
    expect(rows).toBeGreaterThan(5_000);
  });

  it.each([
    ['a transfer', TOKENS.usdc.address, alice, 'transfer'],
    ['a transfer of a token without return values', TOKENS.usdt.address, bob, 'transfer'],
    ['a deposit', TOKENS.weth.address, carol, 'transfer'],
    ['a token of its own', TOKENS.bayc.address, carol, 'transfer'],
    ['ether', 'native', alice, 'state'],
    ['ether that is paid out', 'native', treasury, 'state'],
  ])('finds where %s was left out, and which it was', async (_what, token_address, holder, cause) => {
    const moves = every(1).filter(
      (height) =>
        height > CHAIN.story + 40 &&
        bookedAt(token_address, holder, height) !== bookedAt(token_address, holder, height - 1),
    );
    const missed = moves[Math.floor(moves.length / 2)]!;
    const by = bookedAt(token_address, holder, missed) - bookedAt(token_address, holder, missed - 1);
    const right = books(token_address, holder, every(10));
    const rows = right.map((row) =>
      row.block_height < missed ? row : { ...row, balance: String(BigInt(row.balance) - by) },
    );
    const known = rows.filter((row) => BigInt(row.balance) >= 0n);
    // The order of the rows means nothing.
    const { status, body } = await ask({ token_address, holder, rows: known.toReversed() });
    expect([status, body.message]).toEqual([200, undefined]);
    const wrong = known.filter((row) => row.block_height >= missed);
    const [first] = wrong;
    expect(body).toMatchObject({
      equal: false,
      first_divergence: {
        after_block: known.findLast((row) => row.block_height < missed)!.block_height,
        by_block: first!.block_height,
        difference: String(by),
        cause,
        block: missed,
        transactions: cause === 'state' ? [] : [expect.stringMatching(/^0x[0-9a-f]{64}$/)],
      },
    });
    expect((body.rows as { equal: boolean }[]).filter(({ equal }) => !equal)).toHaveLength(wrong.length);
  });

  it('names a rebase that the books do not have', async () => {
    const token_address = TOKENS.steth.address;
    const rebase = LANDMARKS.rebases.find(
      (height) => bookedAt(token_address, bob, height) !== bookedAt(token_address, bob, height - 1),
    )!;
    const rows = [rebase - 1, rebase].map((block_height) => {
      return { block_height, balance: String(bookedAt(token_address, bob, rebase - 1)) };
    });
    const { body } = await ask({ token_address, holder: bob, rows });
    expect(body.first_divergence).toMatchObject({
      after_block: rebase - 1,
      by_block: rebase,
      cause: 'state',
      block: rebase,
      transactions: [],
      complete: true,
    });
  });

  it('is not complete where the time was too short to find each change at its block', async () => {
    const token_address = TOKENS.steth.address;
    const rows = books(token_address, bob, [LANDMARKS.traffic + 20, 18_000_000]);
    const asked = { token_address, holder: bob, rows: [rows[0], { ...rows[1], balance: '1' }] };
    const { body: whole } = await ask(asked);
    expect(whole.first_divergence).toMatchObject({ by_block: 18_000_000, complete: true });
    const clock = takeSearchClock();
    let searched = false;
    altered.node.alter((method, result) => {
      searched ||= method === 'eth_getLogs';
      if (searched && method === 'eth_call') clock.ahead += 60_000;
      return result;
    });
    const { body } = await altered.ask('/v1/eth-mainnet/balance/reconcile', asked);
    clock.restore();
    expect(body.first_divergence).toMatchObject({ by_block: 18_000_000, complete: false });
    const { changes } = body.first_divergence as { changes: unknown[] };
    expect(changes).toHaveLength((whole.first_divergence as { changes: unknown[] }).changes.length);
  });

  it('searches nothing where no row before is right', async () => {
    const rows = [{ block_height: 18_000_000, balance: '1' }];
    const { body } = await ask({ token_address: TOKENS.uni.address, holder: alice, rows });
    expect(body.first_divergence).toMatchObject({
      after_block: null,
      by_block: 18_000_000,
      cause: null,
      block: null,
      changes: [],
      complete: false,
    });
  });

  it('reads dates as the blocks at or before them, and a name as what it meant', async () => {
    const date = '2023-08-26T16:21:40Z';
    const held = String(bookedAt(TOKENS.usdc.address, alice, 18_000_000));
    const rows = [
      { date, balance: held },
      { block_height: 18_000_000, balance: held },
    ];
    const { body, headers } = await ask({ token_address: TOKENS.usdc.address, holder: 'alice.eth', rows });
    expect(body).toMatchObject({
      holder: alice,
      holder_resolved_at: { block: 18_000_000, block_hash: expect.stringMatching(/^0x/) },
      equal: true,
      rows: [{ block: 18_000_000 }, { block: 18_000_000 }],
    });
    expect(headers.get('x-hindsight-units')).toBe('1');
  });

  it('refuses a name that meant somebody else in between', async () => {
    const rows = [17_999_990, 18_000_010].map((block_height) => ({ block_height, balance: '0' }));
    const { status, body } = await ask({ token_address: TOKENS.usdc.address, holder: 'treasury.eth', rows });
    expect([status, body.code]).toEqual([409, 'name_moved']);
    for (const one of [treasury, vault]) expect(body.message).toContain(one);
  });

  it.each([
    ['no rows', { rows: [] }, 400, /at least one row/],
    [
      'too many rows',
      { rows: Array(1_001).fill({ block_height: 1, balance: '0' }) },
      400,
      /at most 1000 rows/,
    ],
    ['a row without a block', { rows: [{ balance: '0' }] }, 400, /^rows\[0\]: block_height is required/],
    [
      'a row with two blocks',
      { rows: [{ block_height: 1, date: '2023-08-26', balance: '0' }] },
      400,
      /^rows\[0\]: has block_height and date/,
    ],
    ['an amount that is no string', { rows: [{ block_height: 1, balance: 5 }] }, 400, /decimal whole number/],
    ['an amount with a sign', { rows: [{ block_height: 1, balance: '-5' }] }, 400, /decimal whole number/],
    [
      'a block above the head',
      { rows: [{ block_height: 99_999_999, balance: '0' }] },
      404,
      /^rows: block 99999999/,
    ],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /ERC-1155/],
    ['an account without code', { token_address: alice }, 404, /no contract/],
  ])('is refused for %s', async (_what, change, status, message) => {
    const good = { token_address: TOKENS.uni.address, holder: alice };
    const answer = await ask({ ...good, rows: [{ block_height: 18_000_000, balance: '0' }], ...change });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });
});
