import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { vaultRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The vault: an ERC-4626 contract' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/vault/assets: what a holder's shares of a vault were worth at a block. */
export const vaultAssets: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getVaultAssets,
    tag: 'Balances',
    summary: 'Get the worth of vault shares',
    description:
      'Returns how many shares of an ERC-4626 vault a wallet held at any block or date, and what they were worth in the ' +
      'vault’s asset then: `balanceOf` and `convertToAssets` at the same block, with the asset’s name, symbol and decimals.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'VaultAssets',
      schema: vaultRecord,
      cacheable: true,
      description: 'The shares and their worth at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_balance', 'not_a_vault'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the contract is an ERC-721 or ERC-1155`,
      404: 'No such network, no vault at the block, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, holder, ...when }) => ({
    kind: 'vault',
    accounts: { token_address: { address: token }, holder },
    when: readWhen(when),
  }),
};
