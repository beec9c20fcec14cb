/** What a wallet's shares of an ERC-4626 vault were worth. */
import { notFound } from '@hindsight/kernel/errors.ts';
import type { AccountRef } from './account.ts';
import { pinnedFields, type NetworkName, type PinnedFields, type When } from './pinned.ts';
import { requireStandard, tokenFields, type TokenFields, type TokenReading } from './token.ts';

/** Asks for a vault's facts, `balanceOf(holder)`, `asset()`, `convertToAssets(shares)` and the asset's facts. */
export interface VaultQuestion {
  readonly kind: 'vault';
  readonly accounts: { readonly token_address: { readonly address: string }; readonly holder: AccountRef };
  readonly when: When;
}

/** The token that a vault holds, and how much of it the shares were worth. */
export interface VaultAsset {
  /** EIP-55. */
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | null;
  /** Undefined where the vault does not convert the shares. */
  readonly amount: bigint | undefined;
}

/** A reading of a vault: the value is the number of shares. */
export interface VaultReading extends TokenReading {
  readonly kind: 'vault';
  /** EIP-55. */
  readonly holder: string;
  /** Null where the contract names no asset: it is no vault. */
  readonly asset: VaultAsset | null;
}

/** The record of GET …/vault/assets. */
export interface VaultRecord extends TokenFields<'erc20'>, PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  readonly shares: string;
  readonly assets: string;
  readonly asset_address: string;
  readonly asset_name: string;
  readonly asset_symbol: string;
  readonly asset_decimals: number | null;
}

/**
 * The record for a reading.
 * @throws {ApiError} 404 where there is no such vault at that block, or it does not answer; 400 for other standards
 */
export function toVaultRecord(network: NetworkName, reading: VaultReading): VaultRecord {
  const { token, holder, value: shares, asset, block } = reading;
  const type = requireStandard(reading, ['erc20'], 'vaults are ERC-20 contracts (ERC-4626)');
  if (shares === undefined) {
    throw notFound('no_balance', `The token ${token} has no balance for ${holder} at block ${block.number}`);
  }
  if (asset === null) {
    throw notFound(
      'not_a_vault',
      `The token ${token} is not an ERC-4626 vault at block ${block.number}: it names no asset`,
    );
  }
  if (asset.amount === undefined) {
    throw notFound(
      'not_a_vault',
      `The vault ${token} does not say what ${shares} shares were worth at block ${block.number}`,
    );
  }
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...tokenFields(type, reading),
    ...pinnedFields(block),
    shares: shares.toString(),
    assets: asset.amount.toString(),
    asset_address: asset.address,
    asset_name: asset.name,
    asset_symbol: asset.symbol,
    asset_decimals: asset.decimals,
  };
}
