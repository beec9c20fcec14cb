/** The source of an answer: its block, and a URL that gives the same answer for good. */
import { formatUnits } from '@hindsight/client';
import type { Api } from './tool.ts';

/** The block's fields in every answer. */
export interface Pinned {
  readonly checked_at_block: number;
  readonly checked_at_date: string;
  readonly block_hash: string;
  readonly finalized: boolean;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * The block of an answer, and a request for the same answer; the key belongs in the header `x-api-key`, not in the URL.
 * @param query the answer's parameters except the block
 */
export function sourceOf(api: Api, pinned: Pinned, path: string, query: Query) {
  return {
    network: api.client.network,
    block: pinned.checked_at_block,
    block_hash: pinned.block_hash,
    date: pinned.checked_at_date,
    /** Until then the block may still be reorganised away. */
    finalized: pinned.finalized,
    url: urlOf(api, path, query),
  };
}

/** The source of a balance, an allowance, …: the block named by its hash. */
export function sourceAtHash(api: Api, pinned: Pinned, path: string, query: Query) {
  return sourceOf(api, pinned, path, { ...query, block_hash: pinned.block_hash });
}

/** A URL below the network, without a key. */
export function urlOf({ client, url }: Api, path: string, query: Query): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
  return `${url}/v1/${client.network}${path}?${params.toString()}`;
}

export interface Denomination {
  readonly token_symbol: string;
  readonly token_decimals: number | null;
}

/** The native coin of the network that is asked about, named as a token is. */
export async function nativeToken({ client, signal }: Api): Promise<Denomination> {
  const { symbol, decimals } = await client.nativeCoin(signal);
  return { token_symbol: symbol, token_decimals: decimals };
}

/** The token of an answer over time. @param asked the parameter: an address, or `native` */
export async function tokenOverTime(
  api: Api,
  asked: string,
  answer: Partial<Denomination> & { readonly holder: string; readonly token_address?: string },
): Promise<Denomination & { readonly token: string; readonly holder: string }> {
  const { holder, token_address: token = asked, token_symbol, token_decimals } = answer;
  if (token_symbol === undefined) return { token, ...(await nativeToken(api)), holder };
  return { token, token_symbol, token_decimals: token_decimals ?? null, holder };
}

/** An amount in whole tokens, with its symbol: "4550.2275 USDC". */
export function formatted(amount: string | null, of: Denomination): string | null {
  if (amount === null) return null;
  const text = formatUnits(BigInt(amount), of.token_decimals);
  return of.token_symbol === '' ? text : `${text} ${of.token_symbol}`;
}

/** Changes of a balance, with their amounts in whole tokens. */
export function formattedChanges<C extends ChangeAmounts>(changes: readonly C[], of: Denomination) {
  return changes.map((change) => ({
    ...change,
    balance_before_formatted: formatted(change.balance_before, of),
    balance_after_formatted: formatted(change.balance_after, of),
  }));
}

interface ChangeAmounts {
  readonly balance_before: string | null;
  readonly balance_after: string | null;
}

/** The block at which a name was resolved, in an answer over a range: it may mean another wallet at another block. */
export function resolvedAt(
  given: string,
  answer: { readonly holder_resolved_at?: { readonly block: number; readonly block_hash: string } },
): object {
  if (answer.holder_resolved_at === undefined) return {};
  return { holder_name: given, holder_resolved_at: answer.holder_resolved_at };
}
