import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS, TOKEN_CODES } from './refusals.ts';
import { allowanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: account('The ERC-20 contract: an address or an ENS name'),
  owner: account('The owner of the tokens: an address or an ENS name'),
  spender: account('The account that may spend them: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/allowance/single: the allowance of a spender at a block. */
export const allowanceSingle: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getTokenAllowance,
    tag: 'Allowances',
    summary: 'Get token allowance',
    description:
      'Returns how much of an owner’s ERC-20 tokens a spender could spend at any block or date, exact to the unit. ' +
      'If nothing was allowed, the answer is 404.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenAllowance',
      schema: allowanceRecord,
      cacheable: true,
      description: 'The allowance at the block',
    },
    codes: [...QUESTION_CODES, ...TOKEN_CODES, 'no_allowance'],
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also if the token is not an ERC-20`,
      404: 'No allowance for this owner and spender at the block; or no such network, token, name or block',
    },
  },
  toQuestion: ({ token_address, owner, spender, ...when }) => ({
    kind: 'allowance',
    accounts: { token_address, owner, spender },
    when: readWhen(when),
  }),
};
