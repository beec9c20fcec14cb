import { notFound } from '@hindsight/shared/errors.ts';
import { sendCacheable, withEtag } from '@hindsight/shared/http/cacheable.ts';
import { addressParam, networkParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { toTokenRecord } from '../domain/page.ts';
import type { TokenList } from '../ports.ts';
import { fromStore } from './from-store.ts';

const params = z.object({ network: networkParam });
const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
});

/** GET /v1/{network}/token/single, and /tokens/single as a published client calls it: one token of the list. */
export function addTokenSingle(app: HttpServer, list: TokenList): void {
  for (const path of ['/v1/:network/token/single', '/v1/:network/tokens/single']) {
    app.get(path, { schema: { params, querystring } }, async (request, reply) => {
      const { token_address: address } = request.query;
      const token = await fromStore(list.find(address));
      if (token === null) throw notFound(await explainUnknown(list, address));
      const body = JSON.stringify(toTokenRecord(request.params.network, token));
      return sendCacheable(request, reply, withEtag(body), false);
    });
  }
}

async function explainUnknown(list: TokenList, address: string): Promise<string> {
  const checkpoint = await list.checkpoint();
  const known = checkpoint === null ? 'nothing is indexed yet' : `indexed to block ${checkpoint.number}`;
  return `The token ${address} is not in the list (${known})`;
}
