/** A token's allowance: the question, and the record or the error that answers it. */
import { badRequest, notFound } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from './account.ts';
import {
  pinnedFields,
  type NetworkName,
  type PinnedFields,
  type PinnedReading,
  type When,
} from './pinned.ts';
import { tokenFields, tokenStandard, type TokenFields, type TokenReading } from './token.ts';

/** Asks for a token's facts and `allowance(owner, spender)`. */
export interface AllowanceQuestion {
  readonly kind: 'allowance';
  readonly accounts: Readonly<Record<'token_address' | 'owner' | 'spender', AccountRef>>;
  readonly when: When;
}

/** A reading of `allowance(owner, spender)`; the addresses are EIP-55. */
export interface AllowanceReading extends PinnedReading, TokenReading {
  readonly kind: 'allowance';
  readonly owner: string;
  readonly spender: string;
}

/** The record of GET …/allowance/single. */
export interface AllowanceRecord extends TokenFields<'erc20'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly owner: string;
  readonly spender: string;
  readonly allowance: string;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such token or no allowance at that block; 400 for other standards
 */
export function toAllowanceRecord(network: NetworkName, reading: AllowanceReading): AllowanceRecord {
  const { token, owner, spender, value, block } = reading;
  const type = tokenStandard(reading, block.number);
  if (type !== 'erc20') {
    throw badRequest(
      `token_address: ${token} is an ${type.replace('erc', 'ERC-')} contract; allowances are ERC-20's`,
      'wrong_token_standard',
    );
  }
  if (value === undefined || value === 0n) {
    throw notFound(
      'no_allowance',
      `Historical allowance does not exist for this owner and spender: ` +
        `owner ${owner}, spender ${spender}, token ${token}, block ${block.number}`,
    );
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    owner,
    spender,
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    allowance: value.toString(),
  };
}
