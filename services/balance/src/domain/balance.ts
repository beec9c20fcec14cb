/** From what the chain said to the record that is answered, or the error that says why there is none. */
import type { ApiError } from '@hindsight/shared/errors.ts';
import { badGateway, badRequest, notFound } from '@hindsight/shared/errors.ts';

/** Which block is asked about. */
export type HeightQuestion = 'latest' | number;

/** The block that was read. */
export interface ReadBlock {
  readonly number: number;
  readonly hash: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly finalized: boolean;
}

/** What the chain said about a token and a holder, at one block. */
export interface BalanceReading {
  readonly block: ReadBlock;
  readonly tokenType: 'erc20' | 'erc721' | 'erc1155' | 'none' | 'other';
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
  /** Undefined where the contract did not answer `balanceOf` with a number. */
  readonly balance: bigint | undefined;
}

/** The network whose history is asked for. */
export interface NetworkName {
  readonly name: string;
  readonly chainId: number;
}

/** The token balance record of interface.md, with the fields that decisions.md adds. */
export interface BalanceRecord {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly token_address: string;
  readonly token_name: string;
  readonly token_symbol: string;
  readonly token_type: 'erc20' | 'erc721';
  readonly token_decimals: number | null;
  readonly checked_at_block: number;
  readonly checked_at_date: string;
  readonly block_hash: string;
  readonly finalized: boolean;
  readonly balance: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token at that block, 400 for an ERC-1155
 */
export function toBalanceRecord(
  network: NetworkName,
  token: string,
  holder: string,
  reading: BalanceReading,
): BalanceRecord {
  const { block, balance } = reading;
  const type = fungibleOrCounted(token, reading);
  if (balance === undefined) throw unreadable(token, block);
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    token_address: token,
    token_name: reading.name,
    token_symbol: reading.symbol,
    token_type: type,
    token_decimals: reading.decimals,
    checked_at_block: block.number,
    checked_at_date: new Date(block.timestamp * 1000).toISOString(),
    block_hash: block.hash,
    finalized: block.finalized,
    balance: balance.toString(),
  };
}

function fungibleOrCounted(token: string, { tokenType, block }: BalanceReading): 'erc20' | 'erc721' {
  switch (tokenType) {
    case 'erc20':
    case 'erc721':
      return tokenType;
    case 'erc1155':
      throw badRequest(
        `token_address: ${token} is an ERC-1155 contract; a holder has a balance of each of its token ids there, not a single one`,
      );
    case 'none':
      throw notFound(`There is no contract at ${token} at block ${block.number}`);
    case 'other':
      throw notFound(`The contract at ${token} is not a token at block ${block.number}`);
  }
}

function unreadable(token: string, block: ReadBlock): ApiError {
  return badGateway(`The token ${token} did not answer balanceOf at block ${block.number}`);
}
