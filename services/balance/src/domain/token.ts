import type { NamedToken, TokenFacts, TokenType } from '@hindsight/chain/tokens/token.ts';
import { badRequest, notFound } from '@hindsight/kernel/errors.ts';
import type { PinnedReading } from './pinned.ts';

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
export function tokenFields<T extends string>(type: T, facts: NamedToken): TokenFields<T> {
  return {
    token_address: facts.token,
    token_name: facts.name,
    token_symbol: facts.symbol,
    token_type: type,
    token_decimals: facts.decimals,
  };
}

/**
 * The standard of a token.
 * @throws {ApiError} 404 where there is no contract, or one that is no token or cannot be read as one
 */
export function tokenStandard({ token, tokenType, tooCostly }: TokenFacts, block: number): TokenType {
  if (tooCostly)
    throw notFound(
      'not_a_token',
      `The contract at ${token} cannot be read as a token at block ${block}: it uses too much gas`,
    );
  if (tokenType === 'none')
    throw notFound('no_contract', `There is no contract at ${token} at block ${block}`);
  if (tokenType === 'other')
    throw notFound('not_a_token', `The contract at ${token} is not a token at block ${block}`);
  return tokenType;
}

/**
 * The standard of a token that must follow one of these.
 * @param why what a contract of another standard lacks
 * @throws {ApiError} as `tokenStandard`, and 400 for another standard
 */
export function requireStandard<T extends TokenType>(
  reading: TokenReading,
  standards: readonly T[],
  why: string,
): T {
  const type = tokenStandard(reading, reading.block.number);
  const found = standards.find((standard) => standard === type);
  if (found !== undefined) return found;
  throw badRequest(
    `token_address: ${reading.token} is an ${type.replace('erc', 'ERC-')} contract; ${why}`,
    'wrong_token_standard',
  );
}
