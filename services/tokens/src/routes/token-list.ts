import { OPERATIONS } from '@hindsight/api/operations.ts';
import { NETWORKS } from '@hindsight/chain/networks.ts';
import { PARAMETER_CODES, type ApiOperation } from '@hindsight/http/api-operation.ts';
import { sendCacheable, withEtag } from '@hindsight/http/cacheable.ts';
import { networkParam } from '@hindsight/chain/params.ts';
import type { HttpServer } from '@hindsight/http/types.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ServedList, TokenList, TokenRows } from '../ports.ts';
import { fromStore } from '@hindsight/stores/from-store.ts';
import { listQuery, refuseLargePage, type ListQuery } from './list-query.ts';
import { PageCache } from './page-cache.ts';
import { originOf, pageLink } from './links.ts';
import { LIST_UNAVAILABLE, tokenPage, toTokenPage } from './records.ts';

/** Of all pages together that are kept. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface TokenListDeps {
  /** By the network's name; any other is a 404. */
  readonly lists: ReadonlyMap<string, ServedList>;
  /** The base of absolute links; by default the request's host. */
  readonly publicUrl?: string | undefined;
}

export const tokenList = {
  ...OPERATIONS.listTokens,
  tag: 'Tokens',
  summary: 'List tokens',
  description:
    'Lists every ERC-20, ERC-721 and ERC-1155 contract by the block of its first transfer event. The order is ' +
    'stable: a full page never changes. Follow `next` until it is null. A contract is missing while the list has not reached ' +
    'its first event, as on a server that has just begun: the 404 of `token/single` says how far it reaches.',
  params: z.object({ network: networkParam(NETWORKS) }),
  querystring: listQuery,
  success: {
    status: 200,
    name: 'TokenPage',
    schema: tokenPage,
    cacheable: true,
    description: 'A page of the list; an empty one past the end',
  },
  codes: [...PARAMETER_CODES, 'page_too_large'],
  errors: {
    400: 'A parameter is malformed, unknown or given twice, or the page size exceeds the plan’s',
    404: 'No such network',
    503: 'The list cannot be read at the moment',
  },
} as const satisfies ApiOperation;

/** GET /v1/{network}/token, and /tokens as a published client calls it: the list, page by page. */
export function addTokenList(app: HttpServer, { lists, publicUrl }: TokenListDeps): void {
  const maxBytes = Math.floor(MAX_BYTES / lists.size);
  const paged = new Map([...lists].map(([name, of]) => [name, { ...of, pages: new PageCache(maxBytes) }]));
  const schema = { params: z.object({ network: networkParam(paged) }), querystring: listQuery };
  const version = async ({ list }: ServedList): Promise<number> =>
    (await fromStore(list.checkpoint(), LIST_UNAVAILABLE))?.version ?? -1;
  // A page that was answered before needs no validation, no reading and no hash while the list has not
  // changed.
  const onRequest = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const { network } = request.params as { readonly network: string };
    const served = paged.get(network);
    const key = keyOf(request);
    const known = served?.pages.has(key) ? served.pages.find(key, await version(served)) : undefined;
    return known && sendCacheable(request, reply, known, false);
  };
  for (const path of [tokenList.path, ...tokenList.aliases]) {
    app.get(path, { schema, onRequest }, async (request, reply) => {
      const { query } = request;
      const served = request.params.network;
      const { network, list, pages } = served;
      const { page, limit } = query;
      refuseLargePage(limit, request.headers['x-hindsight-plan']);
      const key = keyOf(request);
      const before = await version(served);
      const rows = await fromStore(readPage(list, query), LIST_UNAVAILABLE);
      const filters = { limit, ...filtersOf(query) };
      const linkTo = (other: number): string => pageLink(request, publicUrl, { page: other, ...filters });
      const answer = withEtag(JSON.stringify(toTokenPage(network, { page, limit, ...rows, linkTo })));
      pages.keep(key, before, answer);
      // The rows of a page stay, but the total does not: clients store the page and revalidate it.
      return sendCacheable(request, reply, answer, false);
    });
  }
}

/** Everything that an answer depends on besides the list. */
function keyOf(request: FastifyRequest): string {
  const { protocol, host } = originOf(request);
  return `${String(request.headers['x-hindsight-plan'])} ${protocol} ${host} ${request.url}`;
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
