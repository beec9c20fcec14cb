/** How many units of a token there were: the question, and the record or the error that answers it. */
import { notFound } from '@hindsight/kernel/errors.ts';
import { pinnedFields, type NetworkName, type PinnedFields, type When } from './pinned.ts';
import { requireStandard, tokenFields, type TokenFields, type TokenReading } from './token.ts';

/** Asks for a token's facts and `totalSupply()`. */
export interface SupplyQuestion {
  readonly kind: 'supply';
  readonly accounts: { readonly token_address: { readonly address: string } };
  readonly when: When;
}

/** A reading of `totalSupply()`. */
export interface SupplyReading extends TokenReading {
  readonly kind: 'supply';
}

/** The record of GET …/supply. */
export interface SupplyRecord extends TokenFields<'erc20' | 'erc721'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly total_supply: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at that block, or it does not count its supply; 400 for an ERC-1155
 */
export function toSupplyRecord(network: NetworkName, reading: SupplyReading): SupplyRecord {
  const { token, value, block } = reading;
  const type = requireStandard(reading, ['erc20', 'erc721'], 'it has a supply for each token id instead');
  if (value === undefined) {
    throw notFound('no_supply', `The token ${token} does not report a total supply at block ${block.number}`);
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    total_supply: value.toString(),
  };
}
