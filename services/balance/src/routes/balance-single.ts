import { addressParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toBalanceRecord } from '../domain/balance.ts';
import type { History } from '../ports.ts';
import { account, found, pathParams as params, readWhen, whenParams, type Answering } from './question.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/single: what a holder had of a token, at a block. */
export function addBalanceSingle(app: HttpServer, history: History, answering: Answering): void {
  app.get('/v1/:network/balance/single', { schema: { params, querystring } }, (request, reply) => {
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
