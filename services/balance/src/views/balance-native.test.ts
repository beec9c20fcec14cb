import { describe, expect, it } from '@jest/globals';
import { buildPlan } from '@hindsight/devchain/plan.ts';
import { CHAIN, HOLDERS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from '../../test/support/on-devchain.ts';
import type { RunningBalance } from '../../test/support/run-balance.ts';

const balance = forAllTests(runOnDevchain, 'stop');
const { ledger } = buildPlan();
const { alice } = HOLDERS;

const ask = (query: Record<string, string>): ReturnType<RunningBalance['ask']> =>
  balance.ask(`/v1/eth-mainnet/balance/native?${new URLSearchParams(query).toString()}`);

describe('GET balance/native', () => {
  it('returns wei, with every field', async () => {
    const { status, body } = await ask({ holder: alice, block_height: '18000000' });
    expect(status).toBe(200);
    expect(body).toEqual({
      network_name: 'eth-mainnet',
      chain_id: 1,
      holder: alice,
      checked_at_block: 18_000_000,
      checked_at_date: '2023-08-26T16:21:35.000Z',
      block_hash: '0x929f639b1953e57ca85e1bbab9edcd8d551e416eb6820304b73885223e619df0',
      finalized: true,
      balance: ledger.nativeAt(alice, 18_000_000).toString(),
    });
  });

  it('matches the ledger for every holder at heights over the whole chain', async () => {
    for (const holder of Object.values(HOLDERS)) {
      for (let height = CHAIN.story; height <= CHAIN.head; height += 30) {
        const { body } = await ask({ holder, block_height: String(height) });
        expect(body).toMatchObject({
          balance: ledger.nativeAt(holder, height).toString(),
          checked_at_block: height,
        });
      }
    }
  });

  it('returns "0" for an account that never existed', async () => {
    expect((await ask({ holder: UNUSED_ADDRESS })).body).toMatchObject({
      balance: '0',
      checked_at_block: CHAIN.head,
    });
  });

  it('takes a name', async () => {
    expect((await ask({ holder: 'alice.eth', block_height: '18000000' })).body).toMatchObject({
      holder: alice,
    });
  });

  it.each([
    ['a missing holder', {}, /^holder is required$/],
    ['a malformed holder', { holder: 'alice' }, /^holder: .*or an ENS name/],
    ['a token', { holder: alice, token_address: alice }, /^unknown parameter token_address/],
  ])('refuses %s', async (_what, query, message) => {
    const { body } = await ask(query);
    expect(body).toMatchObject({ statusCode: 400, message: expect.stringMatching(message) });
  });
});
