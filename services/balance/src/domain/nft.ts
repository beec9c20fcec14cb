/** Tokens with an id: who owned one (ERC-721), how many of one a wallet held (ERC-1155). */
import { notFound } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from './account.ts';
import { pinnedFields, type NetworkName, type PinnedFields, type When } from './pinned.ts';
import { requireStandard, tokenFields, type TokenFields, type TokenReading } from './token.ts';

/** Asks for a token's facts and `ownerOf(id)`. */
export interface NftOwnerQuestion {
  readonly kind: 'nft-owner';
  readonly accounts: { readonly token_address: { readonly address: string } };
  readonly tokenId: bigint;
  readonly when: When;
}

/** A reading of `ownerOf(id)`: the value is the owner's address as a number. */
export interface NftOwnerReading extends TokenReading {
  readonly kind: 'nft-owner';
  readonly tokenId: bigint;
  /** EIP-55; null where the contract names none. */
  readonly owner: string | null;
}

/** The record of GET …/nft/owner. */
export interface NftOwnerRecord extends TokenFields<'erc721'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly token_id: string;
  readonly owner: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such contract or no such token at that block; 400 for other standards
 */
export function toNftOwnerRecord(network: NetworkName, reading: NftOwnerReading): NftOwnerRecord {
  const { token, tokenId, owner, block } = reading;
  const type = requireStandard(reading, ['erc721'], 'only ERC-721 tokens have one owner each');
  if (owner === null) {
    throw notFound(
      'no_owner',
      `There is no token ${tokenId} of ${token} at block ${block.number}: it has no owner`,
    );
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    token_id: tokenId.toString(),
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    owner,
  };
}

/** Asks for a token's facts and `balanceOf(holder, id)`. */
export interface NftBalanceQuestion {
  readonly kind: 'nft-balance';
  readonly accounts: { readonly token_address: { readonly address: string }; readonly holder: AccountRef };
  readonly tokenId: bigint;
  readonly when: When;
}

/** A reading of `balanceOf(holder, id)`. */
export interface NftBalanceReading extends TokenReading {
  readonly kind: 'nft-balance';
  /** EIP-55. */
  readonly holder: string;
  readonly tokenId: bigint;
}

/** The record of GET …/nft/balance. */
export interface NftBalanceRecord extends TokenFields<'erc1155'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly token_id: string;
  readonly balance: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such contract at that block, or it has no balance for that holder and id; 400
 *   for other standards
 */
export function toNftBalanceRecord(network: NetworkName, reading: NftBalanceReading): NftBalanceRecord {
  const { token, holder, tokenId, value, block } = reading;
  const type = requireStandard(reading, ['erc1155'], 'only ERC-1155 contracts have a balance for a token id');
  if (value === undefined) {
    throw notFound(
      'no_balance',
      `The token ${tokenId} of ${token} has no balance for ${holder} at block ${block.number}`,
    );
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    token_id: tokenId.toString(),
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    balance: value.toString(),
  };
}
