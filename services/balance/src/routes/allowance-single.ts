import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { accountText } from '../domain/account.ts';
import { toAllowanceRecord } from '../domain/allowance.ts';
import type { History } from '../ports.ts';
import { account, found, pathParams as params, readWhen, whenParams, type Answering } from './question.ts';

const querystring = z.strictObject({
  token_address: account('The ERC-20 contract: an address or an ENS name'),
  owner: account('Whose tokens: an address or an ENS name'),
  spender: account('Who may spend them: an address or an ENS name'),
  ...whenParams,
});

/** GET /v1/{network}/allowance/single: what a spender could spend of an owner's tokens, at a block. */
export function addAllowanceSingle(app: HttpServer, history: History, answering: Answering): void {
  app.get('/v1/:network/allowance/single', { schema: { params, querystring } }, (request, reply) => {
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
