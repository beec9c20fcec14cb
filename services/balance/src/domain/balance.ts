/** From what the chain said to the record that is answered, or the error that says why there is none. */
import { badRequest, notFound } from '@hindsight/shared/errors.ts';
import { pinnedFields, type NetworkName, type PinnedFields } from './pinned.ts';
import { tokenFields, tokenStandard, type TokenFields, type TokenReading } from './token.ts';

/** The token balance record of interface.md, with the fields that decisions.md adds. */
export interface BalanceRecord extends TokenFields<'erc20' | 'erc721'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly balance: string;
}

/**
 * The record for a reading of `balanceOf(holder)`.
 * @throws {ApiError} 404 where there is no such token at that block, or it has no balance for that holder; 400 for an
 *   ERC-1155
 */
export function toBalanceRecord(
  network: NetworkName,
  token: string,
  holder: string,
  reading: TokenReading,
): BalanceRecord {
  const type = tokenStandard(token, reading);
  if (type === 'erc1155') {
    throw badRequest(
      `token_address: ${token} is an ERC-1155 contract, where a holder has a balance of each token id and no single one`,
    );
  }
  if (reading.value === undefined) {
    throw notFound(`The token ${token} has no balance for ${holder} at block ${reading.block.number}`);
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...tokenFields(token, type, reading),
    ...pinnedFields(reading.block),
    balance: reading.value.toString(),
  };
}
