import { formatUnits } from '../amount.ts';
import type { components } from '../openapi.ts';
import type { Transport } from '../transport.ts';
import { whenParams, type When } from '../when.ts';

type Wire = components['schemas']['VaultAssets'];

/** Shares of a vault, and what they were worth. */
export type VaultAssets = Omit<Wire, 'shares' | 'assets'> & {
  readonly shares: bigint;
  readonly assets: bigint;
  /** The worth in whole tokens of the asset. */
  format(): string;
};

/** Whose shares of which vault, and when. */
export interface VaultQuestion extends When {
  /** The vault: an ERC-4626 contract. */
  readonly token: string;
  /** An address or an ENS name. */
  readonly holder: string;
  readonly signal?: AbortSignal | undefined;
}

/** The worth of a holder's ERC-4626 shares at a block. */
export async function getVaultAssets(transport: Transport, question: VaultQuestion): Promise<VaultAssets> {
  const record = await transport.json<Wire>({
    path: `/v1/${transport.network}/vault/assets`,
    query: { token_address: question.token, holder: question.holder, ...whenParams(question) },
    signal: question.signal,
  });
  const assets = BigInt(record.assets);
  return {
    ...record,
    shares: BigInt(record.shares),
    assets,
    format: () => formatUnits(assets, record.asset_decimals),
  };
}
