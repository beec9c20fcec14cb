import { OPERATIONS } from '@hindsight/api/operations.ts';
import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { account, pathParams, readWhen, whenParams } from './parameters.ts';
import { QUESTION_CODES, QUESTION_ERRORS } from './refusals.ts';
import { nativeRecord } from './records.ts';

const querystring = z.strictObject({
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/native: an account's balance of the native coin at a block. */
export const balanceNative: Endpoint<z.output<typeof querystring>> = {
  operation: {
    ...OPERATIONS.getNativeBalance,
    tag: 'Balances',
    summary: 'Get native balance',
    description:
      'Returns how much of the chain’s native coin a wallet held at any block or date, in wei. An account that never ' +
      'existed has "0".',
    params: pathParams,
    querystring,
    success: {
      status: 200,
      name: 'NativeBalance',
      schema: nativeRecord,
      cacheable: true,
      description: 'The balance at the block',
    },
    codes: QUESTION_CODES,
    errors: {
      ...QUESTION_ERRORS,
      404: 'No such network, a name without an address at the block, or a block above the head',
    },
  },
  toQuestion: ({ holder, ...when }) => ({ kind: 'native', accounts: { holder }, when: readWhen(when) }),
};
