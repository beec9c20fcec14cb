/** From what the chain said to the record that is answered, or the error that says why there is none. */
import { badRequest, notFound } from '@hindsight/shared/errors.ts';
import { pinnedFields, type NetworkName, type PinnedFields } from './pinned.ts';
import { tokenFields, tokenStandard, type TokenFields, type TokenReading } from './token.ts';

/** A reading of `balanceOf(holder)`. */
export interface BalanceReading extends TokenReading {
  /** EIP-55. */
  readonly holder: string;
}

/** The token balance record of interface.md, with the fields that decisions.md adds. */
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
  const type = tokenStandard(reading);
  if (type === 'erc1155') {
    throw badRequest(
      `token_address: ${token} is an ERC-1155 contract, where a holder has a balance of each token id and no single one`,
    );
  }
  if (value === undefined) {
    throw notFound(`The token ${token} has no balance for ${holder} at block ${block.number}`);
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    balance: value.toString(),
  };
}
