/** Reads what a vault's shares were worth (ERC-4626). */
import { toChecksum } from '@hindsight/chain/address.ts';
import type { Block } from '@hindsight/chain/state/block.ts';
import { vaultAssetCall, vaultAssetsCall } from '@hindsight/chain/tokens/token-calls.ts';
import type { VaultAsset } from '../domain/vault.ts';
import type { TokenReader } from './token-reader.ts';

interface Shares {
  readonly block: Block;
  readonly vault: string;
  readonly shares: bigint;
}

/** The asset of a vault and the worth of the shares in it; null where the contract names no asset. */
export async function readVaultAsset(
  tokens: TokenReader,
  { block, vault, shares }: Shares,
  signal: AbortSignal,
): Promise<VaultAsset | null> {
  const [asset, amount] = await Promise.all([
    tokens.readNumber(block, vaultAssetCall(vault), signal),
    tokens.readNumber(block, vaultAssetsCall(vault, shares), signal),
  ]);
  const address = toAddress(asset);
  if (address === null) return null;
  const { facts } = await tokens.readFacts(block, address, signal);
  const { name, symbol, decimals } = facts;
  return { address, name, symbol, decimals, amount };
}

/** A returned word as an address (EIP-55); null for zero, and for what is no address. */
export function toAddress(value: bigint | undefined): string | null {
  if (value === undefined || value === 0n || value >= 1n << 160n) return null;
  return toChecksum(`0x${value.toString(16).padStart(40, '0')}`);
}
