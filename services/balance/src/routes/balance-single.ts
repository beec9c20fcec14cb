import type { ApiOperation } from '@hindsight/shared/http/api-operation.ts';
import { addressParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toBalanceRecord } from '../domain/balance.ts';
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
import { balanceRecord } from './records.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** The route as it is documented. */
export const balanceSingle = {
  method: 'GET',
  path: '/v1/:network/balance/single',
  operationId: 'getTokenBalance',
  tag: 'Balances',
  summary: 'What a wallet held of a token, at a block or a date',
  description:
    'The balance of one ERC-20 token, or the number of ERC-721 tokens, exact to the unit, at any block. The answer ' +
    'names the block by number, time and hash. A balance of zero is an answer: 200 with "0".',
  params,
  querystring,
  success: {
    ...{ status: 200, name: 'TokenBalance', schema: balanceRecord, cacheable: true },
    description: 'The balance at that block',
  },
  errors: {
    ...QUESTION_ERRORS,
    400: `${QUESTION_ERRORS[400]}. Also for an ERC-1155 contract, which has a balance of each token id`,
    404: 'No such network, no contract or no token at that block, a name without an address there, or a block above the head',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/balance/single: what a holder had of a token, at a block. */
export function addBalanceSingle(app: HttpServer, history: History, answering: Answering): void {
  app.get(balanceSingle.path, { schema: { params, querystring } }, (request, reply) => {
    const { token_address: token, holder } = request.query;
    const when = readWhen(request.query);
    return answering.answer(request, reply, {
      when,
      key: `balance:${token}:${accountText(holder)}`,
      read: (signal) => {
        const reading = history.readBalance(token, holder, when, signal);
        return found(reading, (read) => toBalanceRecord(request.params.network, read));
      },
    });
  });
}
