import { notFound } from '@hindsight/kernel/errors.ts';
import type { PinnedReading } from './pinned.ts';

/** What a contract is, at one block. */
export interface TokenFacts {
  /** EIP-55. */
  readonly token: string;
  readonly tokenType: 'erc20' | 'erc721' | 'erc1155' | 'none' | 'other';
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
}

/** What the chain said about a token, at one block. */
export interface TokenReading extends PinnedReading, TokenFacts {
  /** The number asked for; undefined where the contract did not answer with one. */
  readonly value: bigint | undefined;
}

/** A token in the format of answers. */
export interface TokenFields<T extends string> {
  readonly token_address: string;
  readonly token_name: string;
  readonly token_symbol: string;
  readonly token_type: T;
  readonly token_decimals: number | null;
}

/** Formats a token for an answer. */
export function tokenFields<T extends string>(type: T, facts: TokenFacts): TokenFields<T> {
  return {
    token_address: facts.token,
    token_name: facts.name,
    token_symbol: facts.symbol,
    token_type: type,
    token_decimals: facts.decimals,
  };
}

/** The standard of a token. @throws {ApiError} 404 where there is no contract, or one that is no token */
export function tokenStandard(
  { token, tokenType }: TokenFacts,
  block: number,
): 'erc20' | 'erc721' | 'erc1155' {
  if (tokenType === 'none') throw notFound(`There is no contract at ${token} at block ${block}`);
  if (tokenType === 'other') throw notFound(`The contract at ${token} is not a token at block ${block}`);
  return tokenType;
}
