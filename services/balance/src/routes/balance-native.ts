import type { ApiOperation } from '@hindsight/shared/http/api-operation.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toNativeRecord } from '../domain/native.ts';
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
import { nativeRecord } from './records.ts';

const querystring = z.strictObject({
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** The route as it is documented. */
export const balanceNative = {
  method: 'GET',
  path: '/v1/:network/balance/native',
  operationId: 'getNativeBalance',
  tag: 'Balances',
  summary: 'What a wallet held of the chain’s own coin, at a block or a date',
  description: 'An account’s wei at any block. An account that never was has "0".',
  params,
  querystring,
  success: {
    ...{ status: 200, name: 'NativeBalance', schema: nativeRecord, cacheable: true },
    description: 'The balance at that block',
  },
  errors: {
    ...QUESTION_ERRORS,
    404: 'No such network, a name without an address at that block, or a block above the head',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/balance/native: what an account held of the chain's own coin, at a block. */
export function addBalanceNative(app: HttpServer, history: History, answering: Answering): void {
  app.get(balanceNative.path, { schema: { params, querystring } }, (request, reply) => {
    const { holder } = request.query;
    const when = readWhen(request.query);
    return answering.answer(request, reply, {
      when,
      key: `native:${accountText(holder)}`,
      read: (signal) =>
        found(history.readNative(holder, when, signal), (reading) =>
          toNativeRecord(request.params.network, reading),
        ),
    });
  });
}
