import { OPERATIONS } from '@hindsight/api/operations.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { notFound } from '@hindsight/kernel/errors.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendCacheable, withEtag } from '@hindsight/http/cacheable.ts';
import { addressParam, networkParam } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import { z } from 'zod';
import type { TokenList } from '../ports.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { LIST_UNAVAILABLE, tokenRecord, toTokenRecord } from './records.ts';
import type { TokenListDeps } from './token-list.ts';

const querystring = z.strictObject({
  token_address: addressParam.meta({ description: 'The token contract' }),
});

export const tokenSingle = {
  ...OPERATIONS.getToken,
  tag: 'Tokens',
  summary: 'Get token',
  description: 'Returns the list entry of one token contract, with its decimals.',
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring,
  success: {
    status: 200,
    name: 'Token',
    schema: tokenRecord,
    cacheable: true,
    description: 'The token',
  },
  codes: [...PARAMETER_CODES, 'token_not_listed'],
  errors: {
    400: 'A parameter is malformed, unknown or given twice',
    404: 'No such network, or the contract is not in the list; the message says how far the list reaches',
    503: 'The list cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/token/single, and /tokens/single as a published client calls it: one token of the list. */
export function addTokenSingle(app: HttpServer, { lists }: TokenListDeps): void {
  const params = z.object({ network: networkParam(lists) });
  for (const path of [tokenSingle.path, ...tokenSingle.aliases]) {
    app.get(path, { schema: { params, querystring } }, async (request, reply) => {
      const { network, list } = request.params.network;
      const { token_address: address } = request.query;
      const token = await fromStore(list.find(address), LIST_UNAVAILABLE);
      if (token === null) throw notFound('token_not_listed', await explainUnknown(list, address));
      const body = JSON.stringify(toTokenRecord(network, token));
      return sendCacheable(request, reply, withEtag(body), false);
    });
  }
}

async function explainUnknown(list: TokenList, address: string): Promise<string> {
  const checkpoint = await list.checkpoint();
  const known = checkpoint === null ? 'nothing is indexed yet' : `indexed to block ${checkpoint.number}`;
  return `The token ${address} is not in the list (${known})`;
}
