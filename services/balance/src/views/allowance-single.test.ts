import { describe, expect, it } from '@jest/globals';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { ledger } = buildPlan();
const { alice, market } = HOLDERS;
const UNI = TOKENS.uni.address;

const ask = (query: Record<string, string>): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/allowance/single?${new URLSearchParams(query).toString()}`);
const pair = { token_address: UNI, owner: alice, spender: market };

/** The heights at which the allowance of the pair is, or is not, zero. */
function heightWhere(zero: boolean): number {
  for (let height = CHAIN.story + 20; height <= CHAIN.head; height++) {
    if ((ledger.allowanceAt(UNI, alice, market, height) === 0n) === zero) return height;
  }
  throw new Error('the dev chain has no such height');
}

describe('GET allowance/single', () => {
  it('returns the allowance, with every field', async () => {
    const height = heightWhere(false);
    const { status, body } = await ask({ ...pair, block_height: String(height) });
    expect(status).toBe(200);
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      owner: alice,
      spender: market,
      token_address: UNI,
      token_name: 'Uniswap',
      token_symbol: 'UNI',
      token_type: 'erc20',
      token_decimals: 18,
      checked_at_block: height,
      checked_at_date: expect.stringMatching(/^2023-08-26T\d\d:\d\d:\d\d\.000Z$/),
      block_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      finalized: true,
      allowance: ledger.allowanceAt(UNI, alice, market, height).toString(),
    });
  });

  it('matches the ledger at every height: raised, spent, revoked', async () => {
    for (let height = CHAIN.story + 20; height <= CHAIN.head; height += 9) {
      const expected = ledger.allowanceAt(UNI, alice, market, height);
      const { status, body } = await ask({ ...pair, block_height: String(height) });
      expect([status, body.allowance]).toEqual(
        expected === 0n ? [404, undefined] : [200, expected.toString()],
      );
    }
  });

  it('takes names, resolved at the same height', async () => {
    const height = heightWhere(false) > CHAIN.story + 20 ? heightWhere(false) : CHAIN.story + 40;
    const named = await ask({ ...pair, owner: 'alice.eth', block_height: String(height) });
    expect(named.body).toMatchObject({ owner: alice, spender: market });
  });

  it('is a 404 that names all four parameters if nothing was allowed', async () => {
    const height = heightWhere(true);
    const { body } = await ask({ ...pair, block_height: String(height) });
    expect(body).toEqual({
      message:
        `Historical allowance does not exist for this owner and spender: ` +
        `owner ${alice}, spender ${market}, token ${UNI}, block ${height}`,
      error: 'Not Found',
      statusCode: 404,
      ...forMachines('no_allowance'),
    });
    expect((await ask({ ...pair, spender: UNUSED_ADDRESS })).status).toBe(404);
  });

  it.each([
    ['an ERC-721', { token_address: TOKENS.bayc.address }, 400, /^token_address: .*ERC-721 contract/],
    ['an ERC-1155', { token_address: TOKENS.items.address }, 400, /^token_address: .*ERC-1155 contract/],
    ['an account without code', { token_address: alice }, 404, /no contract/],
    ['an empty owner', { owner: '' }, 400, /^owner: it is empty/],
    ['a malformed spender', { spender: '0x12' }, 400, /^spender: /],
    ['a holder in place of an owner', { holder: alice }, 400, /^unknown parameter holder/],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body, ...answer } = await ask({ ...pair, ...query });
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
