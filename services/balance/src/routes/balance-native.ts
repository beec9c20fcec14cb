import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toNativeRecord } from '../domain/native.ts';
import type { History } from '../ports.ts';
import { account, found, pathParams as params, readWhen, whenParams, type Answering } from './question.ts';

const querystring = z.strictObject({
  holder: account('The wallet: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/balance/native: what an account held of the chain's own coin, at a block. */
export function addBalanceNative(app: HttpServer, history: History, answering: Answering): void {
  app.get('/v1/:network/balance/native', { schema: { params, querystring } }, (request, reply) => {
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
