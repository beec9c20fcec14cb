import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS } from './refusals.ts';
import { allowanceListRecord } from './records.ts';

const querystring = z.strictObject({
  owner: account('The owner of the tokens: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/allowance/list: what an owner's spenders may spend at a block. */
export const allowanceList: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.listTokenAllowances,
    tag: 'Allowances',
    summary: 'List token allowances',
    description:
      'Returns the ERC-20 allowances that are not zero, and the ERC-721 and ERC-1155 operators, of an owner at any block ' +
      'or date. Events up to that block only say which spenders are asked about; each allowance is read from the state at ' +
      'the block, so that those spent without an event are right. `asked` says how many were asked about, and from which ' +
      'block on events were searched. At most 2,000 are asked about, those with the newest events; the contract with the ' +
      'most is cut first and named in `asked.cut`, so that no contract takes the room of others. Approvals of a single ' +
      'ERC-721 token, and those that no event names, are not listed. Costs 5 units.',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'TokenAllowances',
      schema: allowanceListRecord,
      cacheable: true,
      description: 'What the spenders may spend at the block',
    },
    codes: QUESTION_CODES,
    errors: {
      ...QUESTION_ERRORS,
      404: 'No such network, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ owner, ...when }) => ({ kind: 'allowance-list', accounts: { owner }, when: readWhen(when) }),
};
