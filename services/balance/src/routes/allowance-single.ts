import type { ApiOperation } from '@hindsight/shared/http/api-operation.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toAllowanceRecord } from '../domain/allowance.ts';
import type { History } from '../ports.ts';
import {
  account,
  found,
  pathParams as params,
  QUESTION_ERRORS,
  readWhen,
  whenParams,
  type Answering,
} from './question.ts';
import { allowanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: account('The ERC-20 contract: an address or an ENS name'),
  owner: account('Whose tokens: an address or an ENS name'),
  spender: account('Who may spend them: an address or an ENS name'),
  ...whenParams,
});

/** The route as it is documented. */
export const allowanceSingle = {
  method: 'GET',
  path: '/v1/:network/allowance/single',
  operationId: 'getTokenAllowance',
  tag: 'Allowances',
  summary: 'What a spender could spend of an owner’s tokens, at a block or a date',
  description:
    'The ERC-20 allowance at any block, exact to the unit. Where nothing was allowed there is no record: 404.',
  params,
  querystring,
  success: {
    ...{ status: 200, name: 'TokenAllowance', schema: allowanceRecord, cacheable: true },
    description: 'The allowance at that block',
  },
  errors: {
    ...QUESTION_ERRORS,
    400: `${QUESTION_ERRORS[400]}. Also for a token that is not ERC-20`,
    404: 'No allowance for this owner and spender at that block; or no such network, no token, no such name or block',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/allowance/single: what a spender could spend of an owner's tokens, at a block. */
export function addAllowanceSingle(app: HttpServer, history: History, answering: Answering): void {
  app.get(allowanceSingle.path, { schema: { params, querystring } }, (request, reply) => {
    const { token_address: token, owner, spender } = request.query;
    const when = readWhen(request.query);
    const key = `allowance:${[token, owner, spender].map(accountText).join(':')}`;
    const read = (signal: AbortSignal): ReturnType<typeof found> =>
      found(history.readAllowance(token, owner, spender, when, signal), (reading) =>
        toAllowanceRecord(request.params.network, reading),
      );
    return answering.answer(request, reply, { when, key, read });
  });
}
