import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';

type Page = components['schemas']['TokenPage'];
/** A token of the list. */
export type ListedToken = Page['tokens'][number];
/** One token, with its decimals. */
export type Token = components['schemas']['Token'];

/** A filter of the token list. */
export interface TokensQuestion {
  /** Beginning of a name or symbol, in any case, or a complete address. */
  readonly search?: string | undefined;
  readonly type?: ListedToken['token_type'] | undefined;
  /** Tokens on a page: at most 100 on the Free plan, 1,000 on others. Default: 100 */
  readonly pageSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All tokens, oldest first, page after page; each page is a request. */
export async function* listTokens(
  transport: Transport,
  { search, type, pageSize = 100, signal }: TokensQuestion = {},
): AsyncGenerator<ListedToken, void> {
  for (let page = 1; ; page++) {
    const answer = await transport.json<Page>({
      path: transport.pathTo('listTokens'),
      query: { page, limit: pageSize, token_type: type, search },
      signal,
    });
    yield* answer.tokens;
    if (answer.next === null) return;
  }
}

/** One token. @throws {NotFound} if the address is no token */
export function getToken(transport: Transport, address: string, signal?: AbortSignal): Promise<Token> {
  return transport.json<Token>({
    path: transport.pathTo('getToken'),
    query: { token_address: address },
    signal,
  });
}
