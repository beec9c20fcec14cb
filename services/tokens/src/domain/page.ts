/** Turns a page's rows into the answer. */
import type { Token } from './token.ts';

/** The network of the list. */
export interface NetworkName {
  readonly name: string;
  readonly chainId: number;
}

/** A token as answers write it. */
export interface TokenEntry {
  readonly token_address: string;
  readonly block_height: number;
  readonly token_type: string;
  readonly name: string;
  readonly symbol: string;
}

/** A page in the answer. */
export interface TokenPage {
  readonly network_name: string;
  readonly chain_id: number;
  readonly page: number;
  readonly limit: number;
  /** Tokens that match, on all pages together. */
  readonly total: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly tokens: TokenEntry[];
}

/** One token in the answer. */
export interface TokenRecord extends TokenEntry {
  readonly network_name: string;
  readonly chain_id: number;
  readonly decimals: number | null;
}

/** A request with its results. */
export interface FoundPage {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly tokens: readonly Token[];
  /** The absolute URL of another page of the same list. */
  readonly linkTo: (page: number) => string;
}

/** Writes a page. */
export function toTokenPage(network: NetworkName, found: FoundPage): TokenPage {
  const { page, limit, total, tokens, linkTo } = found;
  return {
    network_name: network.name,
    chain_id: network.chainId,
    page,
    limit,
    total,
    next: page * limit < total ? linkTo(page + 1) : null,
    previous: page > 1 ? linkTo(page - 1) : null,
    tokens: tokens.map(toEntry),
  };
}

/** Writes one token. */
export function toTokenRecord(network: NetworkName, token: Token): TokenRecord {
  return {
    network_name: network.name,
    chain_id: network.chainId,
    ...toEntry(token),
    decimals: token.decimals,
  };
}

function toEntry({ address, blockHeight, type, name, symbol }: Token): TokenEntry {
  return { token_address: address, block_height: blockHeight, token_type: type, name, symbol };
}
