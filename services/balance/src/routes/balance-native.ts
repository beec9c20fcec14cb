import { z } from 'zod';
import { account, pathParams, QUESTION_ERRORS, readWhen, whenParams, type Endpoint } from './endpoint.ts';
import { nativeRecord } from './records.ts';

const querystring = z.strictObject({
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/native: what an account held of the chain's own coin, at a block. */
export const balanceNative: Endpoint<z.output<typeof querystring>> = {
  operation: {
    method: 'GET',
    path: '/v1/:network/balance/native',
    operationId: 'getNativeBalance',
    tag: 'Balances',
    summary: 'What a wallet held of the chain’s own coin, at a block or a date',
    description: 'An account’s wei at any block. An account that never was has "0".',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'NativeBalance',
      schema: nativeRecord,
      cacheable: true,
      description: 'The balance at that block',
    },
    errors: {
      ...QUESTION_ERRORS,
      404: 'No such network, a name without an address at that block, or a block above the head',
    },
  },
  toQuestion: ({ holder, ...when }) => ({ kind: 'native', accounts: { holder }, when: readWhen(when) }),
};
