import { OPERATIONS } from '@hindsight/api/operations.ts';
import { addressParam } from '@hindsight/chain/params.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { supplyRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  ...whenParams,
});

/** GET /v1/{network}/supply: how many units of a token there were at a block. */
export const supply: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getTokenSupply,
    tag: 'Tokens',
    summary: 'Get total supply',
    description:
      'Returns the total supply of an ERC-20 token, or the number of ERC-721 tokens, as the contract reported it at any ' +
      'block or date.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenSupply',
      schema: supplyRecord,
      cacheable: true,
      description: 'The supply at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_supply'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a supply for each token id`,
      404: 'No such network, no token at the block, one that reports no supply, or a block above the head',
    },
  },
  toQuestion: ({ token_address: token, ...when }) => ({
    kind: 'supply',
    accounts: { token_address: { address: token } },
    when: readWhen(when),
  }),
};
