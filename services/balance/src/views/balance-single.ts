import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { balanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/single: a holder's balance of a token at a block. */
export const balanceSingle: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getTokenBalance,
    tag: 'Balances',
    summary: 'Get token balance',
    description:
      'Returns how much of an ERC-20 token, or how many ERC-721 tokens, a wallet held at any block or date, exact to ' +
      'the unit. The answer names the block by number, time and hash. A balance of zero is an answer: 200 with "0".',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenBalance',
      schema: balanceRecord,
      cacheable: true,
      description: 'The balance at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_balance'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a balance for each token id`,
      404: 'No such network, no token at the block, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, holder, ...when }) => ({
    kind: 'balance',
    accounts: { token_address: { address: token }, holder },
    when: readWhen(when),
  }),
};
