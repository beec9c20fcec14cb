/** An account's balance of the chain's native coin. */
import type { AccountRef } from './account.ts';
import {
  pinnedFields,
  type NetworkName,
  type PinnedFields,
  type PinnedReading,
  type When,
} from './pinned.ts';

/** Asks for an account's wei. */
export interface NativeQuestion {
  readonly kind: 'native';
  readonly accounts: { readonly holder: AccountRef };
  readonly when: When;
}

/** An account's wei at one block. */
export interface NativeReading extends PinnedReading {
  readonly kind: 'native';
  /** EIP-55. */
  readonly holder: string;
  readonly wei: bigint;
}

/** The record of GET …/balance/native. */
export interface NativeRecord extends PinnedFields {
  readonly network_name: string;
  readonly chain_id: number;
  readonly holder: string;
  /** Wei. */
  readonly balance: string;
}

/** The record for a reading. */
export function toNativeRecord(network: NetworkName, { block, holder, wei }: NativeReading): NativeRecord {
  return {
    network_name: network.name,
    chain_id: network.chainId,
    holder,
    ...pinnedFields(block),
    balance: wei.toString(),
  };
}
