/** An error's code tells its cause. */
import { describe, expect, it } from '@jest/globals';
import { HOLDERS, TOKENS, UNUSED_ADDRESS } from '@hindsight/devchain/world.ts';
import { ERROR_CASES, type ErrorCode } from '@hindsight/kernel/error-codes.ts';
import { forMachines } from '@hindsight/kernel/test/support/for-machines.ts';
import { forAllTests } from '@hindsight/kernel/test/support/world-of-tests.ts';
import { runOnDevchain } from './support/on-devchain.ts';

const { alice, bob } = HOLDERS;
const { usdc, uni, bayc, items } = TOKENS;
const AT = 'block_height=18000000';
const single = (token: string, holder: string, rest = AT): string =>
  `balance/single?token_address=${token}&holder=${holder}&${rest}`;

const balance = forAllTests(runOnDevchain, 'stop');

describe('an error has the code of its cause', () => {
  it.each<[ErrorCode, path: string]>([
    ['missing_parameter', `balance/single?holder=${alice}`],
    ['unknown_parameter', single(usdc.address, alice, 'blockHeight=1')],
    ['repeated_parameter', single(usdc.address, alice, `${AT}&${AT}`)],
    ['conflicting_parameters', single(usdc.address, alice, `${AT}&date=2023-08-26`)],
    ['invalid_parameter', single('0x1', alice)],
    ['invalid_name', single(usdc.address, 'a..eth')],
    ['wrong_token_standard', single(items.address, alice)],
    ['invalid_range', `balance/series?token_address=native&holder=${alice}&from=18000000&to=17999999&step=1`],
    ['unknown_route', 'balance/nothing'],
    ['unknown_name', single(usdc.address, 'unregistered.eth')],
    ['block_above_head', single(usdc.address, alice, 'block_height=99999999')],
    ['block_not_canonical', single(usdc.address, alice, `block_hash=0x${'12'.repeat(32)}`)],
    ['no_block_at_date', single(usdc.address, alice, 'date=2100-01-01')],
    ['no_contract', single(UNUSED_ADDRESS, alice)],
    [
      'no_allowance',
      `allowance/single?token_address=${uni.address}&owner=${bob}&spender=${UNUSED_ADDRESS}&${AT}`,
    ],
    ['no_owner', `nft/owner?token_address=${bayc.address}&token_id=424242&${AT}`],
    ['not_a_vault', `vault/assets?token_address=${usdc.address}&holder=${alice}&${AT}`],
  ])('%s', async (code, path) => {
    const { status, headers, body } = await balance.ask(`/v1/eth-mainnet/${path}`);
    expect(body).toMatchObject({ statusCode: status, ...forMachines(code) });
    expect([status, body.request_id]).toEqual([ERROR_CASES[code].status, headers.get('x-request-id')]);
  });

  it('unknown_network', async () => {
    const { body } = await balance.ask(`/v1/nowhere/${single(usdc.address, alice)}`);
    expect(body).toMatchObject(forMachines('unknown_network'));
  });

  it('in each row of a batch', async () => {
    const { body } = await balance.ask('/v1/eth-mainnet/balance/batch', [
      { token_address: usdc.address, holder: 'unregistered.eth' },
      { token_address: UNUSED_ADDRESS, holder: alice },
      { token_address: usdc.address },
    ]);
    expect(body).toMatchObject([
      { error: { code: 'unknown_name' } },
      { error: { code: 'no_contract' } },
      { error: { code: 'missing_parameter' } },
    ]);
  });
});
