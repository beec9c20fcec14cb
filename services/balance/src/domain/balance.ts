/** A token's balance: the question, and the record or the error that answers it. */
import type { TokenFacts } from '@hindsight/chain/tokens/token.ts';
import { badRequest, notFound, type ApiError } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from './account.ts';
import { pinnedFields, type NetworkName, type PinnedFields, type When } from './pinned.ts';
import { tokenFields, tokenStandard, type TokenFields, type TokenReading } from './token.ts';

/** Asks for a token's facts and `balanceOf(holder)`. */
export interface BalanceQuestion {
  readonly kind: 'balance';
  readonly accounts: { readonly token_address: { readonly address: string }; readonly holder: AccountRef };
  readonly when: When;
}

/** A reading of `balanceOf(holder)`. */
export interface BalanceReading extends TokenReading {
  readonly kind: 'balance';
  /** EIP-55. */
  readonly holder: string;
}

/** The record of GET …/balance/single. */
export interface BalanceRecord extends TokenFields<'erc20' | 'erc721'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly balance: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at that block, or it has no balance for that holder; 400 for an
 *   ERC-1155
 */
export function toBalanceRecord(network: NetworkName, reading: BalanceReading): BalanceRecord {
  const { token, holder, value, block } = reading;
  const type = balanceStandard(reading, block.number);
  if (value === undefined) throw noBalance(token, holder, block.number);
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    balance: value.toString(),
  };
}

/**
 * The standard of a token that has a single balance for each holder.
 * @throws {ApiError} 404 where there is no token at that block; 400 for an ERC-1155
 */
export function balanceStandard(facts: TokenFacts, block: number): 'erc20' | 'erc721' {
  const type = tokenStandard(facts, block);
  if (type !== 'erc1155') return type;
  throw badRequest(
    `token_address: ${facts.token} is an ERC-1155 contract, which has a balance for each token id instead of a single one`,
    'wrong_token_standard',
  );
}

/** 404: the contract answered with no number. */
export function noBalance(token: string, holder: string, block: number): ApiError {
  return notFound('no_balance', `The token ${token} has no balance for ${holder} at block ${block}`);
}
