import type { NamedToken, TokenFacts, TokenType } from '@hindsight/chain/tokens/token.ts';
import { badRequest, notFound, type ApiError } from '@hindsight/kernel/errors.ts';
import { NATIVE } from './asset.ts';
import { networkFields, type NetworkFields, type NetworkName } from './pinned.ts';

/** A token and one number of it. `tooCostly` also covers a number that could not be read. */
export interface TokenReading extends TokenFacts {
  /** Undefined where the contract has no such number: it reverted, ran out of gas or answered too little. */
  readonly value: bigint | undefined;
}

/** A token, and the height at which it was one. */
export interface TokenAt extends TokenFacts {
  readonly height: number;
}

/** The chain's own coin as a token; it is no contract, so it has no name to read. */
export function coinFields({ native: { decimals } }: NetworkName): TokenFields<typeof NATIVE> {
  return tokenFields(NATIVE, { token: NATIVE, name: '', symbol: '', decimals });
}

export function tokenFields<T extends string>(type: T, facts: NamedToken) {
  return {
    token_address: facts.token,
    token_name: facts.name,
    token_symbol: facts.symbol,
    token_type: type,
    token_decimals: facts.decimals,
  };
}

export type TokenFields<T extends string> = ReturnType<typeof tokenFields<T>>;

/**
 * The standard of a token.
 * @throws {ApiError} 404 where there is no contract, or one that is no token or cannot be read as one
 */
function tokenStandard({ token, tokenType, tooCostly }: TokenFacts, block: number): TokenType {
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
  facts: TokenFacts,
  block: number,
  standards: readonly T[],
  why: string,
): T {
  const type = tokenStandard(facts, block);
  const found = standards.find((standard) => standard === type);
  if (found !== undefined) return found;
  throw badRequest(
    `token_address: ${facts.token} is an ${type.replace('erc', 'ERC-')} contract; ${why}`,
    'wrong_token_standard',
  );
}

/**
 * The standard of a token that has a single balance for each holder.
 * @throws {ApiError} 404 where there is no token at that block; 400 for an ERC-1155
 */
export function balanceStandard(facts: TokenFacts, block: number): 'erc20' | 'erc721' {
  const why = 'it has a balance for each token id instead of a single one';
  return requireStandard(facts, block, ['erc20', 'erc721'], why);
}

/**
 * The fields with which a record of balances over time begins: the network, and the token, where it is not the native coin.
 * @throws {ApiError} as `balanceStandard`
 */
export function assetFields(
  network: NetworkName,
  token: TokenAt | null,
): NetworkFields | (NetworkFields & TokenFields<'erc20' | 'erc721'>) {
  if (token === null) return networkFields(network);
  return { ...networkFields(network), ...tokenFields(balanceStandard(token, token.height), token) };
}

/** 404: the contract answered with no number. */
export function noBalance(token: string, holder: string, block: number): ApiError {
  return notFound('no_balance', `The token ${token} has no balance for ${holder} at block ${block}`);
}
