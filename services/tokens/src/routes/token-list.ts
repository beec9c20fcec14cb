import type { Network } from '@hindsight/shared/chain/networks.ts';
import { sendCacheable, withEtag } from '@hindsight/shared/http/cacheable.ts';
import { networkParam } from '@hindsight/shared/http/params.ts';
import type { HttpServer } from '@hindsight/shared/http/types.ts';
import { z } from 'zod';
import { pageLink } from '../domain/links.ts';
import { toTokenPage } from '../domain/page.ts';
import type { TokenList, TokenRows } from '../ports.ts';
import { fromStore } from './from-store.ts';
import { listQuery, refuseLargePage, type ListQuery } from './list-query.ts';
import { placeOf } from './place.ts';

const params = z.object({ network: networkParam });

/** GET /v1/{network}/token, and /tokens as a published client calls it: the list, page by page. */
export function addTokenList(app: HttpServer, list: TokenList, publicUrl: string | undefined): void {
  for (const path of ['/v1/:network/token', '/v1/:network/tokens']) {
    app.get(path, { schema: { params, querystring: listQuery } }, async (request, reply) => {
      const { query } = request;
      const { page, limit } = query;
      refuseLargePage(limit, request.headers['x-hindsight-plan']);
      const rows = await fromStore(readPage(list, query));
      const place = placeOf(request, publicUrl);
      const filters = filtersOf(query);
      const linkTo = (other: number): string => pageLink(place, { page: other, limit, filters });
      const network: Network = request.params.network;
      const body = JSON.stringify(toTokenPage(network, { page, limit, ...rows, linkTo }));
      // The rows of a page stay, but how many match in all does not: clients keep it and ask whether it still holds.
      return sendCacheable(request, reply, withEtag(body), false);
    });
  }
}

async function readPage(
  list: TokenList,
  { page, limit, token_type: type, search }: ListQuery,
): Promise<TokenRows> {
  const first = (page - 1) * limit;
  if (search === undefined || 'prefix' in search)
    return list.page({ type, prefix: search?.prefix }, first, limit);
  const token = await list.find(search.address);
  const found = token !== null && (type === undefined || token.type === type) ? [token] : [];
  return { total: found.length, tokens: found.slice(first, first + limit) };
}

function filtersOf({ token_type, search }: ListQuery): Record<string, string | undefined> {
  return { token_type, search: search && ('prefix' in search ? search.prefix : search.address) };
}
