/** The sum of a token's holders beside its supply, as anybody is answered it. */
import type { HttpServer } from '@hindsight/http/types.ts';
import type { CheckedSum } from './self-check.ts';

/** Addresses that are read for it: a longer list is left alone. */
const MOST = 1_000;

interface Asked {
  readonly token: string;
  readonly block: number;
  readonly signal: AbortSignal;
}

/** Asks the service itself. @returns null where there is no such answer, more holders, or no supply */
export async function sumOf(
  app: Pick<HttpServer, 'inject'>,
  network: string,
  { token, block, signal }: Asked,
): Promise<CheckedSum | null> {
  const query = new URLSearchParams({
    token_address: token,
    block_height: String(block),
    limit: String(MOST),
  });
  const url = `/v1/${network}/token/holders?${query.toString()}`;
  const { statusCode, payload } = await app.inject({ method: 'GET', url, signal });
  if (statusCode !== 200) return null;
  const lines = payload.trimEnd().split('\n');
  const [facts, end] = [lines[0], lines.at(-1)].map((line) => JSON.parse(line ?? '{}') as Answered);
  if (facts?.index?.complete !== true || end?.record !== 'end' || end.next !== null) return null;
  if (end.errors !== 0 || typeof end.total_supply !== 'string' || end.sum === undefined) return null;
  return { token, block, sum: end.sum, supply: end.total_supply };
}

interface Answered {
  readonly record?: string;
  readonly index?: { readonly complete: boolean };
  readonly next?: string | null;
  readonly errors?: number;
  readonly sum?: string;
  readonly total_supply?: string | null;
}
