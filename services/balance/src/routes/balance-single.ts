import { addressParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import { account, pathParams, QUESTION_ERRORS, readWhen, whenParams, type Endpoint } from './endpoint.ts';
import { balanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/single: what a holder had of a token, at a block. */
export const balanceSingle: Endpoint<z.output<typeof querystring>> = {
  operation: {
    method: 'GET',
    path: '/v1/:network/balance/single',
    operationId: 'getTokenBalance',
    tag: 'Balances',
    summary: 'What a wallet held of a token, at a block or a date',
    description:
      'The balance of one ERC-20 token, or the number of ERC-721 tokens, exact to the unit, at any block. The answer ' +
      'names the block by number, time and hash. A balance of zero is an answer: 200 with "0".',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenBalance',
      schema: balanceRecord,
      cacheable: true,
      description: 'The balance at that block',
    },
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a balance of each token id`,
      404: 'No such network, no contract or no token at that block, a name without an address there, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, holder, ...when }) => ({
    kind: 'balance',
    accounts: { token_address: { address: token }, holder },
    when: readWhen(when),
  }),
};
