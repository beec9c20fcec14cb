import { z } from 'zod';
import { account, pathParams, QUESTION_ERRORS, readWhen, whenParams, type Endpoint } from './endpoint.ts';
import { allowanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: account('The ERC-20 contract: an address or an ENS name'),
  owner: account('Whose tokens: an address or an ENS name'),
  spender: account('Who may spend them: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/allowance/single: what a spender could spend of an owner's tokens, at a block. */
export const allowanceSingle: Endpoint<z.output<typeof querystring>> = {
  operation: {
    method: 'GET',
    path: '/v1/:network/allowance/single',
    operationId: 'getTokenAllowance',
    tag: 'Allowances',
    summary: 'What a spender could spend of an owner’s tokens, at a block or a date',
    description:
      'The ERC-20 allowance at any block, exact to the unit. Where nothing was allowed there is no record: 404.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenAllowance',
      schema: allowanceRecord,
      cacheable: true,
      description: 'The allowance at that block',
    },
    errors: {
      ...QUESTION_ERRORS,
      400: `${QUESTION_ERRORS[400]}. Also for a token that is not ERC-20`,
      404: 'No allowance for this owner and spender at that block; or no such network, no token, no such name or block',
    },
  },
  toQuestion: ({ token_address, owner, spender, ...when }) => ({
    kind: 'allowance',
    accounts: { token_address, owner, spender },
    when: readWhen(when),
  }),
};
