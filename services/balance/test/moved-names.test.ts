/** Names over a range: one that meant two wallets is refused, since the answer would be about one of them. */
import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { HOLDERS, TOKENS } from '@hindsight/devchain/world.ts';
import { runOnDevchain } from './support/on-devchain.ts';

const balance = forAllTests(runOnDevchain, 'stop');
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
        `^holder: the name treasury.eth means ${vault} at block 18000010, and meant ${treasury} at block \\d+;`,
      ),
    );
  });

  it('answers before and after the move, each about its wallet', async () => {
    expect((await ask(endpoint, 'treasury.eth', 17_999_980, 17_999_999)).body.holder).toBe(treasury);
    expect((await ask(endpoint, 'treasury.eth', 18_000_000, 18_000_010)).body.holder).toBe(vault);
  });

  it('notices a name that pointed nowhere in between, and came back to somebody else', async () => {
    const { status, body } = await ask(endpoint, 'bob.eth', 17_999_950, 18_000_120);
    expect([status, body.code]).toEqual([409, 'name_moved']);
    for (const one of [bob, carol]) expect(body.message).toContain(one);
  });

  it('takes a name that is younger than the range', async () => {
    const { status, body } = await ask(endpoint, 'bob.eth', 17_999_900, 18_000_010);
    expect([status, body.holder]).toEqual([200, bob]);
  });
});
