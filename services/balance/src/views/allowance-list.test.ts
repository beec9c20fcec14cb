import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, LANDMARKS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { ledger } = buildPlan();

const ask = (query: Record<string, string>): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/allowance/list?${new URLSearchParams(query).toString()}`);

/** The owner's allowances that are not zero, by the ledger. */
function truth(owner: string, height: number): Record<string, string> {
  const open: Record<string, string> = {};
  for (const entry of ledger.entries) {
    if (entry.kind !== 'allowance' || entry.owner !== owner || entry.block > height) continue;
    const { token, spender } = entry;
    const value = ledger.allowanceAt(token, owner, spender, height);
    if (value > 0n) open[`${token} ${spender}`] = value.toString();
  }
  return open;
}

interface Entry {
  readonly token_address: string;
  readonly spender: string;
  readonly allowance: string | null;
}

describe('GET allowance/list', () => {
  it('matches the ledger for every owner: given, spent without an event, revoked', async () => {
    const { aliceIsSpent, aliceRevokes } = LANDMARKS;
    const heights = [CHAIN.story + 30, ...aliceIsSpent, aliceRevokes - 1, aliceRevokes, CHAIN.head];
    let seen = 0;
    for (const [name, owner] of Object.entries(HOLDERS)) {
      for (const height of heights) {
        const { status, body } = await ask({ owner, block_height: String(height) });
        const allowances = body.allowances as readonly Entry[];
        const erc20 = allowances.filter(({ allowance }) => allowance !== null);
        const found = erc20.map(({ token_address, spender, allowance }) => [
          `${token_address} ${spender}`,
          allowance,
        ]);
        expect([name, height, status]).toEqual([name, height, 200]);
        expect([name, height, Object.fromEntries(found)]).toEqual([name, height, truth(owner, height)]);
        seen += found.length;
      }
    }
    expect(seen).toBeGreaterThan(10);
  });

  it('names its block, what was asked, and its cost', async () => {
    const { body, headers } = await ask({ owner: 'alice.eth', block_height: '17999900' });
    expect(body).toMatchObject({
      owner: HOLDERS.alice,
      checked_at_block: 17_999_900,
      finalized: true,
      allowances: expect.arrayContaining([
        expect.objectContaining({
          token_symbol: 'UNI',
          spender: HOLDERS.market,
          allowance: `750${'0'.repeat(18)}`,
        }),
      ]),
      asked: {
        how: 'logs',
        pairs: expect.any(Number),
        from_block: CHAIN.genesis,
        complete: true,
        unread: [],
      },
    });
    expect(headers.get('x-hindsight-units')).toBe('5');
  });

  it('of an account that never allowed anything is empty', async () => {
    const { status, body } = await ask({ owner: UNUSED_ADDRESS });
    expect([status, body.allowances]).toEqual([200, []]);
  });

  it.each([
    ['no owner', {}, 400, /^owner is required/],
    ['an empty owner', { owner: '' }, 400, /^owner: it is empty/],
    ['a malformed owner', { owner: '0x12' }, 400, /^owner: /],
    ['a name without an address', { owner: 'unregistered.eth' }, 404, /^owner: the name/],
    [
      'an unknown parameter',
      { owner: UNUSED_ADDRESS, holder: UNUSED_ADDRESS },
      400,
      /^unknown parameter holder/,
    ],
    ['two blocks', { owner: UNUSED_ADDRESS, block_height: '1', date: '2023-08-26' }, 400, /given together/],
    ['a date of the future', { owner: UNUSED_ADDRESS, date: '2999-01-01' }, 404, /^date: /],
    [
      'a block above the head',
      { owner: UNUSED_ADDRESS, block_height: '99999999' },
      404,
      /does not exist yet/,
    ],
    ['a hash of no block', { owner: UNUSED_ADDRESS, block_hash: `0x${'0'.repeat(64)}` }, 404, /block_hash/],
  ])('is refused for %s', async (_what, query, status, message) => {
    const { body, ...answer } = await ask(query);
    expect(body).toMatchObject({ statusCode: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
  });
});
